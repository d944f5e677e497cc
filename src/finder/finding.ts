import type { Problem } from "../record/error.ts";
import type { PathBytes } from "../record/files.ts";
import type { Border, Tally } from "./bisect.ts";
import type { Unit } from "./narrow/units.ts";
import type { Overlay } from "./scratch/scratch.ts";
import type { WorkspaceState } from "./states.ts";

/** A state that was tried, and what came of it. */
export interface TriedState extends Tally {
  /** Its place among the states. */
  readonly state: number;
  /** Why it could not be judged. */
  readonly why?: Unjudged;
}

/** Why a run of the test says nothing about the files that it ran on. Whoever shows it has the words. */
export type Unjudged =
  | { readonly code: "folder-missing" }
  | { readonly code: "timeout"; readonly seconds: number }
  /** The command ended with exit code 125, as `git bisect run` has it. */
  | { readonly code: "skipped" }
  | { readonly code: "not-started"; readonly program: string; readonly problem: string }
  /** Exit code 126 or 127: a shell did not find the command, or could not run it. */
  | { readonly code: "not-runnable"; readonly exit: number }
  | { readonly code: "files-unwritten"; readonly problem: Problem }
  | { readonly code: "files-uncaptured"; readonly path: PathBytes };

/** The smallest part of the difference that matters. */
export interface Change {
  readonly units: readonly Unit[];
  /**
   * "breaks": put onto the green state, it makes the test fail. "mends": that alone did not prove to be all of it, and taken out of
   * the red state, this makes the test pass.
   */
  readonly sense: "breaks" | "mends";
  /** "minimal": each of them is needed for that. "given-up": there were too many to show it. */
  readonly size: "minimal" | "given-up";
  /** Files of it that are gone, and where their content is now. */
  readonly renamed: ReadonlyMap<PathBytes, PathBytes>;
  readonly effect: Effect;
}

/** One that the test passes without, as the files are now. Nothing else may be called found. */
export interface ConfirmedChange extends Change {
  readonly effect: Extract<Effect, { state: "confirmed" }>;
}

/** What becomes of the present without the change. */
export type Effect =
  /** The test passes; `overlay` is how the paths are then. */
  | { readonly state: "confirmed"; readonly overlay: Overlay }
  /** It fails all the same. */
  | { readonly state: "other-causes" }
  /** What came later is in the way, at these paths. */
  | { readonly state: "changed-since"; readonly paths: readonly PathBytes[] }
  | { readonly state: "unjudged"; readonly why: Unjudged };

interface Base {
  /** By time; the last one is the present. */
  readonly states: readonly WorkspaceState[];
  /** In the order of their first try. */
  readonly tried: readonly TriedState[];
  /** What stood in the scratch copies as links to the workspace's own. */
  readonly linked: readonly PathBytes[];
}

export type Finding = Base &
  (
    | { readonly verdict: "found" | "range"; readonly border: Border; readonly change: ConfirmedChange }
    | { readonly verdict: "flaky"; readonly state: number; readonly border?: Border }
    | { readonly verdict: "green-now" }
    | {
        readonly verdict: "cannot-tell";
        /** "no-past": there is nothing but the present. */
        readonly why: "never-green" | "present" | "no-past";
        /** The oldest state that was judged. */
        readonly oldest: number;
      }
    /** It did break there, the last time as far as was looked, but nothing shows that this is why it fails now. */
    | {
        readonly verdict: "cannot-tell";
        readonly why: "unconfirmed";
        readonly border: Border;
        readonly change?: Change;
      }
  );
