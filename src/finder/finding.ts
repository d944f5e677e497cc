import type { Problem } from "../record/error.ts";
import type { PathBytes } from "../record/files.ts";
import type { Border, Tally } from "./bisect.ts";
import type { Unit } from "./narrow/units.ts";
import type { Overlay } from "./scratch/scratch.ts";
import type { WorkspaceState } from "./states.ts";

/** A state that was tried, and its results. */
export interface TriedState extends Tally {
  /** The state's index in the list of states. */
  readonly state: number;
  /** Why the state could not be judged. */
  readonly why?: Unjudged;
}

/** Why a run of the test proves nothing about the files that it ran on. The front end renders the reason as text. */
export type Unjudged =
  | { readonly code: "folder-missing" }
  | { readonly code: "timeout"; readonly seconds: number }
  /** The command ended with exit code 125, which has the same meaning as in `git bisect run`. */
  | { readonly code: "skipped" }
  | { readonly code: "not-started"; readonly program: string; readonly problem: string }
  /** The exit code was 126 or 127, which means that a shell did not find the command or could not run it. */
  | { readonly code: "not-runnable"; readonly exit: number }
  | { readonly code: "files-unwritten"; readonly problem: Problem }
  | { readonly code: "files-uncaptured"; readonly path: PathBytes };

/** The smallest part of a difference that makes the test fail. */
export interface Change {
  readonly units: readonly Unit[];
  /**
   * "breaks": if the change is added to the green state, the test fails. "mends": the change was not proved to be the
   * whole cause, but the test passes if it is removed from the red state.
   */
  readonly sense: "breaks" | "mends";
  /** "minimal": each unit is needed. "given-up": there were too many units to prove that each one is needed. */
  readonly size: "minimal" | "given-up";
  /** Files that the change deleted, each with the path where its content is now. */
  readonly renamed: ReadonlyMap<PathBytes, PathBytes>;
  readonly effect: Effect;
}

/** A change whose removal makes the test pass on the present files. Only such a change counts as found. */
export interface ConfirmedChange extends Change {
  readonly effect: Extract<Effect, { state: "confirmed" }>;
}

/** The effect of removing the change from the present files. */
export type Effect =
  /** The test passes. `overlay` contains the state that each affected path has without the change. */
  | { readonly state: "confirmed"; readonly overlay: Overlay }
  /** The test still fails without the change. */
  | { readonly state: "other-causes" }
  /** Later changes to these paths conflict with removing the change. */
  | { readonly state: "changed-since"; readonly paths: readonly PathBytes[] }
  | { readonly state: "unjudged"; readonly why: Unjudged };

interface Base {
  /** All states in chronological order. The last one is the present. */
  readonly states: readonly WorkspaceState[];
  /** The states that were tried, in the order in which they were first tried. */
  readonly tried: readonly TriedState[];
  /** Paths that were links to the workspace's own files in the scratch copies. */
  readonly linked: readonly PathBytes[];
}

export type Finding = Base &
  (
    | { readonly verdict: "found" | "range"; readonly border: Border; readonly change: ConfirmedChange }
    | { readonly verdict: "flaky"; readonly state: number; readonly border?: Border }
    | { readonly verdict: "green-now" }
    | {
        readonly verdict: "cannot-tell";
        /** "no-past" means that the present is the only state. */
        readonly why: "never-green" | "present" | "no-past";
        /** The oldest state that was judged. */
        readonly oldest: number;
      }
    /**
     * According to the states that were checked, the test last broke between these two states, but nothing proves that
     * this is why it fails now.
     */
    | {
        readonly verdict: "cannot-tell";
        readonly why: "unconfirmed";
        readonly border: Border;
        readonly change?: Change;
      }
  );
