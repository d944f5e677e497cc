import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Remark, WorldlineError } from "../../record/error.ts";
import type { PathChange } from "../../record/files.ts";
import type { Recap } from "../../timeline/recap.ts";
import type { CutTurn } from "../../timeline/turn-state.ts";

export type { TurnFiles } from "../../agent/turn/files/changed-files.ts";
export type { LeftBehind } from "../../machine/queries/left-behind.ts";
export type { EntryPage, PageRequest } from "../../machine/view.ts";

import type { TurnFiles } from "../../agent/turn/files/changed-files.ts";
import type { LeftBehind } from "../../machine/queries/left-behind.ts";
import type { EntryPage, PageRequest } from "../../machine/view.ts";
import type { Entry, EntryOf, Scope } from "../../record/entry.ts";
import type { EntryId, SessionId } from "../../record/ids.ts";
import type { TodoItem } from "../../record/parts.ts";
import type { Destination } from "../../travel/destination.ts";
import type { PricedStats } from "./costs.ts";

/** Queries about the current session. */
export interface Queries {
  /**
   * Returns the newest entries on the head's branch, or the entries before a given entry, oldest first. The cost
   * depends on the number of returned entries, not on the length of the session.
   */
  page(request: PageRequest): Promise<EntryPage>;
  /**
   * Returns the files that changed during a turn, no matter who changed them. `start`: the turn's prompt, the backtrack
   * that repeated the prompt, or the start of the user's command. Resolves with undefined if the files are no longer
   * known.
   */
  filesOfTurn(start: EntryId): Promise<TurnFiles | undefined>;
  /** Returns the summary of the entries that a backtrack left behind, as recorded in the backtrack's own entry. */
  leftBehind(journey: EntryId): Promise<LeftBehind | undefined>;
  /**
   * Returns the entries that a backtrack or redo left behind, oldest first, unless they are on the head's branch again.
   * Resolves with undefined if the log does not contain them, for example in a fork.
   */
  leftPart(journey: EntryId): Promise<readonly Entry[] | undefined>;
  /** Returns the number of tokens in the context after a compaction, counted the same way as in the statistics. */
  compactedTo(compaction: EntryId): Promise<number | undefined>;
  state(): Promise<TimelineState>;
  todos(): Promise<readonly TodoItem[]>;
  context(): Promise<ContextFill>;
  /** Returns the session's statistics and cost, including its sub-agents. */
  stats(): Promise<PricedStats>;
  /** Returns the whole tree from the root down, including abandoned branches. */
  tree(): Promise<readonly TreeRow[]>;
  /** Returns the entries for a place in the tree (its turn or its step), in the form that the conversation shows. */
  place(entry: EntryId): Promise<readonly Entry[]>;
  /** Returns the files that a prompt can mention, as paths relative to the workspace. Ignored files are left out. */
  files(): Promise<readonly string[]>;
  /**
   * Returns the checkpoint where `/diff` begins: the one before the last prompt or `!command` on the branch, or the
   * branch's newest checkpoint if there is no prompt or command. Resolves with undefined if the branch has no
   * checkpoints.
   */
  turnStart(): Promise<number | undefined>;
  /** Compares the workspace's files at a checkpoint with the files at another checkpoint or with the current files. */
  diff(request: DiffRequest): Promise<WorkspaceDiff>;
  /** Returns the recap of a resumed session: what is done, what is still open and what comes next. */
  recap(): Promise<ResumedRecap | undefined>;
}

/** The state of the timeline, as shown in the status line. */
export interface TimelineState {
  readonly title?: string;
  /** The newest checkpoint on the branch; 0 if there is none. */
  readonly checkpoint: number;
  readonly contextTokens: number;
  /**
   * Number of other branches in the session. These are not git branches. `gitBranch` is the current git branch or HEAD,
   * if any.
   */
  readonly branchesLeft: number;
  /** Number of other branches that the agent left with a backtrack. */
  readonly leftByBacktracks: number;
  readonly gitBranch?: string;
  readonly savedTokens: number;
  /**
   * Cost in US dollars, including sub-agents; absent if no price is known, and while the cost of a long session is
   * being computed.
   */
  readonly cost?: number;
  readonly snapshots: SnapshotState;
  /** Number of times in a row that `/redo` can be used without an argument; 0 after new work. */
  readonly redoable: number;
}

export type SnapshotState =
  | { readonly state: "on" }
  | { readonly state: "capturing" }
  | ({ readonly state: "partial" | "failed" } & Remark)
  /** The workspace's folder was removed or moved. */
  | { readonly state: "folder-gone"; readonly folder: string }
  | { readonly state: "off"; readonly error: WorldlineError };

/** The parts that fill the model's window. */
export interface ContextFill {
  readonly window: number;
  readonly used: number;
  readonly parts: readonly { readonly what: ContextPart; readonly tokens: number }[];
}

export type ContextPart = "system" | "tools" | "summary" | "prompts" | "replies" | "results" | "notes";

export interface TreeRow {
  readonly entry: EntryId;
  /** The content of the row, as data instead of text, so that it can be shown in the user's language. */
  readonly what: TreePlace;
  /** The number of the row's checkpoint or, for a prompt, of the prompt's checkpoint. */
  readonly number?: number;
  readonly at: number;
  readonly label?: string;
  readonly rails: readonly ("open" | "closed")[];
  readonly hang: "along" | "fork" | "last";
  readonly branch: "here" | "left";
  readonly isHead: boolean;
  /** The journey that leads to exactly this row; absent if neither a checkpoint nor a journey leads to it. */
  readonly go?: Destination;
}

export type TreePlace =
  | { readonly kind: "beginning" }
  /** The beginning of the prompt; "" if the prompt has no text. */
  | { readonly kind: "prompt"; readonly text: string }
  /** The command after a "!". */
  | { readonly kind: "command"; readonly text: string }
  | { readonly kind: "checkpoint" | "step" }
  | { readonly kind: "rewind"; readonly to: number; readonly scope: Scope }
  | { readonly kind: "redo"; readonly scope: Scope }
  | { readonly kind: "backtrack"; readonly to: number; readonly note: string }
  | {
      readonly kind: "compaction";
      readonly reason: EntryOf<"compaction">["reason"];
      readonly before: number;
      readonly after: number;
    }
  /**
   * The end of another branch: the journey that left the branch, where the journey led, and how many entries it left
   * behind.
   */
  | {
      readonly kind: "end";
      readonly by: "rewind" | "redo" | "backtrack";
      readonly to?: number;
      readonly entries: number;
    };

/**
 * The changes between two states of the files. Front ends render them as a patch, path by path, and read only the
 * contents that they show.
 */
export interface WorkspaceDiff {
  readonly changes: readonly PathChange[];
  readonly files: Pick<WorkspaceFiles, "content">;
}

export interface DiffRequest {
  readonly from: number;
  /** The checkpoint to compare with; absent for the current files. */
  readonly to?: number;
}

/** A recap of the session, and whether its last turn was interrupted. */
export interface ResumedRecap {
  readonly session: SessionId;
  readonly recap: Recap;
  readonly cut?: CutOff;
}

/** A turn that was cut off by a crash or by the step limit. */
export interface CutOff extends CutTurn {
  /** The checkpoint before the interrupted step, if its files can be restored. */
  readonly before?: number;
}
