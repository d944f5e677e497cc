import type { LeftBehind } from "../../app/queries/query-types.ts";
import type { ChangedFile, CompactionFailed, ReasonFields, RetryEvent } from "../../ports/agent-events.ts";
import type { CallReason } from "../../record/call-reason.ts";
import type { EntryOf, Scope } from "../../record/entry.ts";
import type { LoggedCounts } from "../../record/files.ts";
import type { EntryId } from "../../record/ids.ts";
import type { Json, TodoItem } from "../../record/parts.ts";
import type { Fence } from "./chunks.ts";

/**
 * One item of the displayed conversation. Immutable: a change creates another block with the same `key`, so the lines
 * laid out for a block stay valid as long as the block exists.
 */
export type Block =
  | PromptBlock
  | TextBlock
  | ThinkingBlock
  | CallBlock
  | CardBlock
  | LeftBlock
  | LeftItemBlock
  | HappeningBlock
  | NoticeBlock
  | FilesBlock
  | TodosBlock
  | AnswerBlock;

interface BlockBase {
  /** Identifies an item. All states of one item have the same key, and no other item has it. */
  readonly key: string;
}

export interface PromptBlock extends BlockBase {
  readonly kind: "prompt";
  readonly text: string;
  readonly images: number;
  readonly checkpoint?: number;
  readonly entry: EntryId;
}

/**
 * A piece of the model's text, as Markdown. The text is split so that each piece can be drawn separately, and only the
 * last piece changes.
 */
export interface TextBlock extends BlockBase {
  readonly kind: "text";
  readonly text: string;
  /** The code fence that the piece begins inside. */
  readonly insideFence?: Fence;
  /**
   * "first": the piece is the beginning of the model's text. "joined": it continues the previous piece without a blank
   * line.
   */
  readonly place: "first" | "later" | "joined";
}

export interface ThinkingBlock extends BlockBase {
  readonly kind: "thinking";
  readonly text: string;
  readonly state: "live" | "done";
}

export interface CallBlock extends BlockBase {
  readonly kind: "call";
  readonly call: string;
  /** The name of the tool, or "Shell" for a user's `!` command. */
  readonly name: string;
  readonly about: string;
  readonly input: Json;
  readonly state: "asked" | "running" | "ok" | "error" | "denied" | "interrupted";
  /**
   * While the call runs, `since` is when it began. Afterwards, `took` is its duration in milliseconds, if its start is
   * on the timeline.
   */
  readonly since?: number;
  readonly took?: number;
  /**
   * The output or result of the call. While the call runs, this is only the last part. Afterwards, it is the whole
   * output.
   */
  readonly output: string;
  /** Why the call was denied. Absent if the user denied it with an explanation. */
  readonly denial?: CallReason;
  /** Number of lines dropped from the output while the call is running. */
  readonly dropped?: number;
  /** Blocks of a sub-agent whose work was followed live. */
  readonly below: readonly Block[];
}

/** The card about a backtrack. */
export interface CardBlock extends BlockBase {
  readonly kind: "card";
  readonly journey: EntryId;
  readonly to: number;
  readonly note: string;
  readonly rationale?: string;
  readonly files: "keep" | "restore";
  readonly restored?: Restored;
  /** The counts of the abandoned entries. Undefined while the counts are being looked up. */
  readonly left: LeftBehind | undefined;
}

/** The line for all entries that a journey removed from the branch. The line's items follow as separate blocks. */
export interface LeftBlock extends BlockBase {
  readonly kind: "left";
  readonly journey: EntryId;
  readonly by: "backtrack" | "redo";
  /**
   * The counts of all items except prompts and answers, because prompts and answers have separate lines. Undefined
   * until the items have been looked up.
   */
  readonly holds: LeftCounts | undefined;
}

export interface LeftCounts {
  readonly calls: number;
  readonly messages: number;
}

/** One item that a journey left behind, in its original position. */
export interface LeftItemBlock extends BlockBase {
  readonly kind: "left-item";
  readonly by: LeftBlock["by"];
  readonly block: Block;
  /** "line": the item stays visible as a line when the other items are folded. */
  readonly folded: "line" | "hidden";
}

/**
 * One line about an event on the timeline. It can be unfolded. The block contains data instead of text, so that the
 * text is always in the current language.
 */
export interface HappeningBlock extends BlockBase {
  readonly kind: "happening";
  readonly happening: Happening;
}

export type Happening =
  | { readonly what: "rewind"; readonly to: number; readonly scope: Scope; readonly restored?: Restored }
  | { readonly what: "redo"; readonly scope: Scope; readonly restored?: Restored }
  /** The outcome for a journey's files. Used if the journey itself is not shown. */
  | { readonly what: "restored"; readonly restored: Restored }
  | {
      readonly what: "compaction";
      readonly reason: EntryOf<"compaction">["reason"];
      /** Estimated numbers of tokens. `after` is undefined while it is being looked up, and if it is unknown. */
      readonly before: number;
      readonly after: number | undefined;
      readonly summary: string;
    }
  | {
      readonly what: "not-compacted";
      readonly failure: CompactionFailed;
    }
  | { readonly what: "interrupt"; readonly by: EntryOf<"interrupt">["by"] }
  /** `times` is the number of attempts. */
  | ({
      readonly what: "error";
      readonly message: string;
      readonly hint?: string;
      readonly times?: number;
    } & ReasonFields)
  /** The turn failed for good. The line says how to continue. */
  | { readonly what: "go-on" }
  | ({
      readonly what: "warning";
      readonly code?: string;
      readonly message: string;
      readonly hint?: string;
    } & ReasonFields)
  | { readonly what: "retry"; readonly retry: RetryEvent }
  | { readonly what: "title"; readonly title: string }
  /** `checkpoint` is absent if it is unknown which checkpoint has the label. */
  | { readonly what: "label"; readonly label: string; readonly checkpoint?: number }
  /** The reply hit the model's output limit. */
  | { readonly what: "reply-cut" };

/** The outcome for a journey's files. */
export interface Restored extends LoggedCounts {
  /** One line of JSON for each path, in the same form as in the entry. */
  readonly paths: string;
}

/** One line with a report from a user's command. It can be unfolded. The line is not on the timeline. */
export interface NoticeBlock extends BlockBase {
  readonly kind: "notice";
  readonly tone: Tone;
  readonly line: string;
  readonly details: string;
}

export type Tone = "quiet" | "good" | "warning" | "error";

export interface FilesBlock extends BlockBase {
  readonly kind: "files";
  /** The changed files. Undefined while the files are being looked up. */
  readonly files: readonly ChangedFile[] | undefined;
  readonly more: number;
  /**
   * The entry that the files are for: the turn's prompt, the backtrack that repeated the prompt, or the start of the
   * user's command.
   */
  readonly of: EntryId;
}

export interface TodosBlock extends BlockBase {
  readonly kind: "todos";
  readonly items: readonly TodoItem[];
}

/** The answer to a user's command. The answer is not on the timeline. */
export interface AnswerBlock extends BlockBase {
  readonly kind: "answer";
  /** The command as the user typed it. */
  readonly asked: string;
  readonly text: string;
  readonly form: "markdown" | "plain";
}

/**
 * The kind of a tool, if it affects how its calls are shown. The kinds are assigned by name, to our tools and to the
 * equivalent tools of other agents.
 */
type ToolKind = "shell" | "change" | "questions" | "plan" | "other";

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ["Bash", "shell"],
  ["Shell", "shell"],
  ["Edit", "change"],
  ["Write", "change"],
  ["NotebookEdit", "change"],
  ["AskUser", "questions"],
  ["AskUserQuestion", "questions"],
  ["ExitPlanMode", "plan"],
]);

export function toolKind(name: string): ToolKind {
  return KINDS.get(name) ?? "other";
}

/**
 * Returns the subject of a call. Paths in the workspace are shown relative to it, because some agents use only absolute
 * paths, which differ only at the end. A command stays unchanged.
 */
export function shownAbout(
  call: { readonly name: string; readonly about: string },
  workspace: string,
): string {
  const { name, about } = call;
  const start = `${workspace}/`;
  if (workspace === "" || toolKind(name) === "shell" || !about.startsWith(start)) return about;
  return about.slice(start.length) || about;
}
