import type { Problem } from "../record/error.ts";
import type { PathBytes } from "../record/files.ts";
import type { Border, Tally } from "./bisect.ts";
import type { Unit } from "./narrow/units.ts";
import type { Overlay } from "./scratch/scratch.ts";
import type { WorkspaceState } from "./states.ts";

/** A state that was tried, and its results. */
export interface TriedState extends Tally {
  /** Its index in the list of states. */
  readonly state: number;
  /** Why the state could not be judged. */
  readonly why?: Unjudged;
}

/** Why a run of the test says nothing about the files that it ran on. The front end renders the reason as text. */
export type Unjudged =
  | { readonly code: "folder-missing" }
  | { readonly code: "timeout"; readonly seconds: number }
  /** The command ended with exit code 125, as with `git bisect run`. */
  | { readonly code: "skipped" }
  | { readonly code: "not-started"; readonly program: string; readonly problem: string }
  /** Exit code 126 or 127: a shell did not find the command, or could not run it. */
  | { readonly code: "not-runnable"; readonly exit: number }
  | { readonly code: "files-unwritten"; readonly problem: Problem }
  | { readonly code: "files-uncaptured"; readonly path: PathBytes };

/** The smallest part of a difference that makes the test fail. */
export interface Change {
  readonly units: readonly Unit[];
  /**
   * "breaks": the change, added to the green state, makes the test fail. "mends": the change did not prove to be the
   * whole cause, but without it the red state passes.
   */
  readonly sense: "breaks" | "mends";
  /** "minimal": each unit is needed. "given-up": there were too many units to show that. */
  readonly size: "minimal" | "given-up";
  /** The files that the change deleted, each with the path where its content is now. */
  readonly renamed: ReadonlyMap<PathBytes, PathBytes>;
  readonly effect: Effect;
}

/** A change without which the test passes on the present files. Only such a change counts as found. */
export interface ConfirmedChange extends Change {
  readonly effect: Extract<Effect, { state: "confirmed" }>;
}

/** The result of removing the change from the present. */
export type Effect =
  /** The test passes; `overlay` is the state of the paths in that case. */
  | { readonly state: "confirmed"; readonly overlay: Overlay }
  /** The test still fails. */
  | { readonly state: "other-causes" }
  /** Later changes to these paths conflict with it. */
  | { readonly state: "changed-since"; readonly paths: readonly PathBytes[] }
  | { readonly state: "unjudged"; readonly why: Unjudged };

interface Base {
  /** In chronological order; the last one is the present. */
  readonly states: readonly WorkspaceState[];
  /** In the order in which they were first tried. */
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
        /** "no-past": the present is the only state. */
        readonly why: "never-green" | "present" | "no-past";
        /** The oldest state that was judged. */
        readonly oldest: number;
      }
    /**
     * As far as was checked, the test last broke between these states, but nothing proves that this is why it fails
     * now.
     */
    | {
        readonly verdict: "cannot-tell";
        readonly why: "unconfirmed";
        readonly border: Border;
        readonly change?: Change;
      }
  );
