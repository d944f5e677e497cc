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
   * The newest entries on the head's branch, or the entries before a given one; oldest first. The cost depends on the
   * number of returned entries, and not on the length of the session.
   */
  page(request: PageRequest): Promise<EntryPage>;
  /**
   * The files that changed during a turn, no matter who changed them. `start`: the turn's prompt, the backtrack that
   * repeated the prompt, or the start of the user's command. Undefined if they are no longer known.
   */
  filesOfTurn(start: EntryId): Promise<TurnFiles | undefined>;
  /** A summary of the entries that a backtrack left, from the backtrack's own entry. */
  leftBehind(journey: EntryId): Promise<LeftBehind | undefined>;
  /**
   * The entries that a backtrack or redo left and that are not on the head's branch, oldest first. Undefined if the log
   * does not have them, for example in a fork.
   */
  leftPart(journey: EntryId): Promise<readonly Entry[] | undefined>;
  /** How many tokens the context had after a compaction, counted the same way as in the statistics. */
  compactedTo(compaction: EntryId): Promise<number | undefined>;
  state(): Promise<TimelineState>;
  todos(): Promise<readonly TodoItem[]>;
  context(): Promise<ContextFill>;
  /** The session's statistics and cost, including its sub-agents. */
  stats(): Promise<PricedStats>;
  /** The whole tree, abandoned branches included, from the root down. */
  tree(): Promise<readonly TreeRow[]>;
  /** The entries of one place in the tree, its turn or its step, in the form that the conversation shows. */
  place(entry: EntryId): Promise<readonly Entry[]>;
  /** Files that a prompt can mention: paths relative to the workspace, excluding ignored files. */
  files(): Promise<readonly string[]>;
  /**
   * The checkpoint before the last prompt or `!command` of the branch, or its newest checkpoint if there is none: where
   * `/diff` begins. Undefined if the branch has no checkpoints.
   */
  turnStart(): Promise<number | undefined>;
  /** The differences between the workspace's files at a checkpoint and at another one, or the present. */
  diff(request: DiffRequest): Promise<WorkspaceDiff>;
  /** The recap of a resumed session: what is done, what is still open and what comes next. */
  recap(): Promise<ResumedRecap | undefined>;
}

/** The state of the timeline in the status line. */
export interface TimelineState {
  readonly title?: string;
  /** The newest checkpoint of the branch; 0 if there is none. */
  readonly checkpoint: number;
  readonly contextTokens: number;
  /** The number of other branches of the session. `gitBranch` is git's branch or HEAD, if there is one. */
  readonly branchesLeft: number;
  /** How many of those branches the agent left with a backtrack. */
  readonly leftByBacktracks: number;
  readonly gitBranch?: string;
  readonly savedTokens: number;
  /** In US dollars, including sub-agents; absent if no price is known, and while a long session is being counted. */
  readonly cost?: number;
  readonly snapshots: SnapshotState;
  /** How many times in a row `/redo` without an argument is possible; 0 after new work. */
  readonly redoable: number;
}

export type SnapshotState =
  | { readonly state: "on" }
  | { readonly state: "capturing" }
  | ({ readonly state: "partial" | "failed" } & Remark)
  /** The workspace's folder was removed or moved. */
  | { readonly state: "folder-gone"; readonly folder: string }
  | { readonly state: "off"; readonly error: WorldlineError };

/** The parts that take up the model's window. */
export interface ContextFill {
  readonly window: number;
  readonly used: number;
  readonly parts: readonly { readonly what: ContextPart; readonly tokens: number }[];
}

export type ContextPart = "system" | "tools" | "summary" | "prompts" | "replies" | "results" | "notes";

export interface TreeRow {
  readonly entry: EntryId;
  /** Data instead of text, so that it can be shown in the user's language. */
  readonly what: TreePlace;
  /** The number of the row's checkpoint or, for a prompt, of the prompt's checkpoint. */
  readonly number?: number;
  readonly at: number;
  readonly label?: string;
  readonly rails: readonly ("open" | "closed")[];
  readonly hang: "along" | "fork" | "last";
  readonly branch: "here" | "left";
  readonly isHead: boolean;
  /** How to get to exactly this row; absent if neither a checkpoint nor a journey leads there. */
  readonly go?: Destination;
}

export type TreePlace =
  | { readonly kind: "beginning" }
  /** The beginning of the prompt; "" if it has no text. */
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
  /** The end of another branch: which journey left it, where that journey led, and how many entries were left. */
  | {
      readonly kind: "end";
      readonly by: "rewind" | "redo" | "backtrack";
      readonly to?: number;
      readonly entries: number;
    };

/** Front ends render the changes as a patch, path by path, and read only the contents that they show. */
export interface WorkspaceDiff {
  readonly changes: readonly PathChange[];
  readonly files: Pick<WorkspaceFiles, "content">;
}

export interface DiffRequest {
  readonly from: number;
  /** If absent, the current files. */
  readonly to?: number;
}

/** A recap of the session, and whether its last turn was interrupted. */
export interface ResumedRecap {
  readonly session: SessionId;
  readonly recap: Recap;
  readonly cut?: CutOff;
}

/** The turn that a crash or the step limit cut off. */
export interface CutOff extends CutTurn {
  /** The checkpoint before the step that was cut off, if its files can be restored. */
  readonly before?: number;
}
