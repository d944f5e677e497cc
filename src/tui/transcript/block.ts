import type { LeftBehind } from "../../app/queries/query-types.ts";
import type { ChangedFile, CompactionFailed, ReasonFields, RetryEvent } from "../../ports/agent-events.ts";
import type { CallReason } from "../../record/call-reason.ts";
import type { EntryOf, Scope } from "../../record/entry.ts";
import type { LoggedCounts } from "../../record/files.ts";
import type { EntryId } from "../../record/ids.ts";
import type { Json, TodoItem } from "../../record/parts.ts";
import type { Fence } from "./chunks.ts";

/**
 * One thing in the conversation as it is shown. Never changed: what goes on becomes another block with the same `key`, so
 * lines that were laid out for a block hold as long as the block is there.
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
  /** The same for all states of one thing that stays, and different from every other. */
  readonly key: string;
}

export interface PromptBlock extends BlockBase {
  readonly kind: "prompt";
  readonly text: string;
  readonly images: number;
  readonly checkpoint?: number;
  readonly entry: EntryId;
}

/** A piece of what the model says, as Markdown: cut where a piece can stand for itself, so that only the last one changes. */
export interface TextBlock extends BlockBase {
  readonly kind: "text";
  readonly text: string;
  /** The code that the piece begins inside of. */
  readonly insideFence?: Fence;
  /** "first": the model begins to speak here. "joined": what came before goes on, without a line between. */
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
  /** "Shell" for a `!command` of the user's. */
  readonly name: string;
  readonly about: string;
  readonly input: Json;
  readonly state: "asked" | "running" | "ok" | "error" | "denied" | "interrupted";
  /** When it began, while it runs; how long it took, in milliseconds, where its start is on the timeline. */
  readonly since?: number;
  readonly took?: number;
  /** What it printed or answered: all of it when it has ended, the end of it while it runs. */
  readonly output: string;
  /** Why it was denied, where a rule, a mode or an unexplained no did it. */
  readonly denial?: CallReason;
  /** How many lines of it are not kept, while it runs. */
  readonly dropped?: number;
  /** Of a sub-agent whose work was heard. */
  readonly below: readonly Block[];
}

/** The agent went back. */
export interface CardBlock extends BlockBase {
  readonly kind: "card";
  readonly journey: EntryId;
  readonly to: number;
  readonly note: string;
  readonly rationale?: string;
  readonly files: "keep" | "restore";
  readonly restored?: Restored;
  /** Undefined while it is looked up. */
  readonly left: LeftBehind | undefined;
}

/** The line that what a journey left is folded into; its items follow as blocks of their own. */
export interface LeftBlock extends BlockBase {
  readonly kind: "left";
  readonly journey: EntryId;
  readonly by: "backtrack" | "redo";
  /** What its items hold besides the prompts and answers that have lines of their own; undefined while they are looked up. */
  readonly holds: LeftCounts | undefined;
}

export interface LeftCounts {
  readonly calls: number;
  readonly messages: number;
}

/** One thing that a journey left, where it was. */
export interface LeftItemBlock extends BlockBase {
  readonly kind: "left-item";
  readonly by: LeftBlock["by"];
  readonly block: Block;
  /** "line": stays on the screen while the rest is folded. */
  readonly folded: "line" | "hidden";
}

/** One line that can unfold: what happened on the timeline, as data, so that its words follow the language. */
export interface HappeningBlock extends BlockBase {
  readonly kind: "happening";
  readonly happening: Happening;
}

export type Happening =
  | { readonly what: "rewind"; readonly to: number; readonly scope: Scope; readonly restored?: Restored }
  | { readonly what: "redo"; readonly scope: Scope; readonly restored?: Restored }
  /** A journey's files, where the journey itself is not shown. */
  | { readonly what: "restored"; readonly restored: Restored }
  | {
      readonly what: "compaction";
      readonly reason: EntryOf<"compaction">["reason"];
      /** Tokens, about. `after`: undefined while it is looked up, or if unknown. */
      readonly before: number;
      readonly after: number | undefined;
      readonly summary: string;
    }
  | {
      readonly what: "not-compacted";
      readonly addHappening: CompactionFailed;
    }
  | { readonly what: "interrupt"; readonly by: EntryOf<"interrupt">["by"] }
  /** `times`: how often it was tried. */
  | ({
      readonly what: "error";
      readonly message: string;
      readonly hint?: string;
      readonly times?: number;
    } & ReasonFields)
  /** The turn failed for good: how it goes on. */
  | { readonly what: "go-on" }
  | ({
      readonly what: "warning";
      readonly code?: string;
      readonly message: string;
      readonly hint?: string;
    } & ReasonFields)
  | { readonly what: "retry"; readonly retry: RetryEvent }
  | { readonly what: "title"; readonly title: string }
  /** `checkpoint`: absent where it is not known which one it names. */
  | { readonly what: "label"; readonly label: string; readonly checkpoint?: number }
  /** The reply was as long as the model allows. */
  | { readonly what: "reply-cut" };

/** What became of the files of a journey. */
export interface Restored extends LoggedCounts {
  /** As the entry has it: a line of JSON for each path. */
  readonly paths: string;
}

/** What a command of the user's said, in one line that can unfold. It is not on the timeline. */
export interface NoticeBlock extends BlockBase {
  readonly kind: "notice";
  readonly tone: Tone;
  readonly line: string;
  readonly details: string;
}

export type Tone = "quiet" | "good" | "warning" | "error";

export interface FilesBlock extends BlockBase {
  readonly kind: "files";
  /** Undefined while it is looked up. */
  readonly files: readonly ChangedFile[] | undefined;
  readonly more: number;
  /** The prompt whose turn it was, or the backtrack that said it again, or the start of the user's command. */
  readonly of: EntryId;
}

export interface TodosBlock extends BlockBase {
  readonly kind: "todos";
  readonly items: readonly TodoItem[];
}

/** What a command of the user's answered. It is not on the timeline. */
export interface AnswerBlock extends BlockBase {
  readonly kind: "answer";
  /** As it was typed. */
  readonly asked: string;
  readonly text: string;
  readonly form: "markdown" | "plain";
}

/**
 * What a tool does, as far as its calls are shown otherwise for it. By name: ours, and those that the tools of other agents
 * have for the same.
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
 * What a call is about, with the start of a path in the workspace left out: some agents name whole paths only, and what tells
 * files apart stands at their end. A command stays as it was written.
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
