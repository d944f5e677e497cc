import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Remark, WorldlineError } from "../../record/error.ts";
import type { PathChange } from "../../record/files.ts";
import type { Recap } from "../../timeline/recap.ts";

export type { TurnFiles } from "../../agent/turn/files/changed-files.ts";
export type { LeftBehind } from "../../machine/queries/left-behind.ts";
export type { EntryPage, PageRequest } from "../../machine/view.ts";

import type { TurnFiles } from "../../agent/turn/files/changed-files.ts";
import type { LeftBehind } from "../../machine/queries/left-behind.ts";
import type { EntryPage, PageRequest } from "../../machine/view.ts";
import type { Entry, EntryOf, Scope } from "../../record/entry.ts";
import type { EntryId, SessionId } from "../../record/ids.ts";
import type { TodoItem } from "../../record/parts.ts";

/** What can be seen of the session that the agent works on. */
export interface Queries {
  /**
   * The newest entries of the branch of the head, or those before one of them; oldest first. Costs what it returns, and not
   * what the session holds.
   */
  page(request: PageRequest): Promise<EntryPage>;
  /**
   * Which files the turn of that prompt, or of the backtrack that said it again, or the person's command that starts there,
   * changed, whoever changed them; undefined where that is not known any more.
   */
  filesOfTurn(start: EntryId): Promise<TurnFiles | undefined>;
  /** What a backtrack, as its entry tells it, left behind. */
  leftBehind(journey: EntryId): Promise<LeftBehind | undefined>;
  /**
   * The entries that a backtrack or a redo left and that are not on the branch of the head, oldest first. Undefined where the log
   * does not have them, such as in a fork.
   */
  leftPart(journey: EntryId): Promise<readonly Entry[] | undefined>;
  /** How many tokens the context had behind a compaction, as the statistics count them. */
  compactedTo(compaction: EntryId): Promise<number | undefined>;
  state(): Promise<TimelineState>;
  todos(): Promise<readonly TodoItem[]>;
  context(): Promise<ContextFill>;
  /** The whole tree, branches that were left included, from the root down. */
  tree(): Promise<readonly TreeRow[]>;
  /** The entries of one place of the tree, as they would be shown there: its turn, or its step. */
  place(entry: EntryId): Promise<readonly Entry[]>;
  /** Files that may be mentioned: paths from the workspace, ignored ones left out. */
  files(): Promise<readonly string[]>;
  /** What differs in the workspace's files between a checkpoint and another, or now. */
  diff(request: DiffRequest): Promise<WorkspaceDiff>;
  /** What a resumed session opens with: done, open, next. */
  recap(): Promise<ResumedRecap | undefined>;
}

/** What the status line says of the timeline. */
export interface TimelineState {
  readonly title?: string;
  /** The newest checkpoint of the branch; 0 where there is none. */
  readonly checkpoint: number;
  readonly contextTokens: number;
  /** How many branches were left; git's branch or HEAD, where there is one. */
  readonly branchesLeft: number;
  /** How many of those the agent left by going back. */
  readonly leftByBacktracks: number;
  readonly gitBranch?: string;
  readonly savedTokens: number;
  /** In US dollars, sub-agents included; absent where no price is known, and while a long session is counted. */
  readonly cost?: number;
  readonly snapshots: SnapshotState;
  /** How many redos without a name can be made, one after the other; 0 after new work. */
  readonly redoable: number;
}

export type SnapshotState =
  | { readonly state: "on" }
  | { readonly state: "capturing" }
  | ({ readonly state: "partial" | "failed" } & Remark)
  /** The workspace's folder was removed or moved. */
  | { readonly state: "folder-gone"; readonly folder: string }
  | { readonly state: "off"; readonly error: WorldlineError };

/** What fills the window. */
export interface ContextFill {
  readonly window: number;
  readonly used: number;
  readonly parts: readonly { readonly what: ContextPart; readonly tokens: number }[];
}

export type ContextPart = "system" | "tools" | "summary" | "prompts" | "replies" | "results" | "notes";

export interface TreeRow {
  readonly entry: EntryId;
  /** As data, so that its words follow the language. */
  readonly what: TreePlace;
  /** Of the checkpoint that it is, or that its prompt has. */
  readonly number?: number;
  readonly at: number;
  readonly label?: string;
  readonly rails: readonly ("open" | "closed")[];
  readonly hang: "along" | "fork" | "last";
  readonly branch: "here" | "left";
  readonly isHead: boolean;
  /** How to get to exactly this row; absent where no checkpoint and no journey stands for it. */
  readonly go?: TreeDestination;
}

export type TreeDestination =
  | { readonly by: "rewind"; readonly to: number }
  /** The journey that left from there: its redo brings back the conversation, and the files as they were then. */
  | { readonly by: "redo"; readonly journey: EntryId }
  /** The head stands there. */
  | { readonly by: "staying" };

export type TreePlace =
  | { readonly kind: "beginning" }
  /** How it begins; "" where it has no words. */
  | { readonly kind: "prompt"; readonly text: string }
  /** With a "!" before it. */
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
  /** The end of a branch that was left: by which journey, which led where, and how many entries that left. */
  | {
      readonly kind: "end";
      readonly by: "rewind" | "redo" | "backtrack";
      readonly to?: number;
      readonly entries: number;
    };

/** Front ends render it as a patch, path by path, and read only the contents that they show. */
export interface WorkspaceDiff {
  readonly changes: readonly PathChange[];
  readonly files: Pick<WorkspaceFiles, "content">;
}

export interface DiffRequest {
  readonly from: number;
  /** Absent: the files as they are now. */
  readonly to?: number;
}

/** Where the session stands, and whether its last turn was cut. */
export interface ResumedRecap {
  readonly session: SessionId;
  readonly recap: Recap;
  readonly cut?: CutTurn;
}

/** What a crash or an interrupt left open. */
export interface CutTurn {
  readonly step: number;
  /** The calls that had begun and did not end. */
  readonly calls: readonly { readonly name: string; readonly about: string }[];
  /** The checkpoint that the files can be taken back to: before the step that was cut. */
  readonly before?: number;
}
