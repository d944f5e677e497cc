import type { Entry, EntryOf } from "../../record/entry.ts";
import type { EntryId, Seq } from "../../record/ids.ts";
import { isJsonObject, type Json, type Part, type ReplyPart, type TodoItem } from "../../record/parts.ts";
import type { Strings } from "../../strings/strings.ts";
import { isPersonCall } from "../../timeline/calls.ts";
import type { NamedStep } from "../checkpoint-list.ts";

/** The strings of a transcript in one language. */
export interface MarkdownTexts {
  readonly words: Strings["markdown"];
  /** Renders the message and the hint of an error. */
  readonly error: (entry: EntryOf<"error">) => { readonly message: string; readonly hint?: string };
}

type Words = MarkdownTexts["words"];

/** Everything that is needed to render a block of the transcript, in addition to the entry itself. */
export interface BlockContext {
  readonly texts: MarkdownTexts;
  readonly labels: ReadonlyMap<EntryId, string>;
  /** The steps of a program, keyed by the checkpoints after them. */
  readonly steps: ReadonlyMap<Seq, NamedStep>;
  /** The names of the called tools, keyed by call id, because a result contains only the call id. */
  readonly namesByCall: Map<string, string>;
  /** Whether the branch was already using the other agent's session before this entry. */
  readonly wentOnBefore: (entry: EntryOf<"host">) => boolean;
}

/** Renders the entry as Markdown. Returns undefined for an entry that is of no interest to readers. */
export function entryBlock(entry: Entry, around: BlockContext): string | undefined {
  const block =
    conversationBlock(entry, around) ?? journeyBlock(entry, around.texts) ?? remarkBlock(entry, around);
  if (block === undefined || entry.forgotten === undefined) return block;
  return `${block}\n\n*${around.texts.words.forgotten(inline(entry.forgotten.at))}*`;
}

function conversationBlock(entry: Entry, around: BlockContext): string | undefined {
  const { words } = around.texts;
  switch (entry.kind) {
    case "checkpoint":
      return `## ${placeName(entry, around)}`;
    case "step":
      return `### ${placeName(entry, around)}${entry.fill === undefined ? "" : words.fill(entry.fill)}`;
    case "prompt":
      return [words.prompt, ...promptParts(entry.parts, words)].join("\n\n");
    case "reply":
      return replyBlock(entry, around);
    case "tool-start":
      return startBlock(entry, around);
    case "tool-end": {
      const name = around.namesByCall.get(entry.call) ?? entry.call;
      const parts = entry.parts.map((part) =>
        part.type === "text" ? fenced(part.text) : imageLine(part.mediaType, words),
      );
      return [words.result(codeSpan(name), entry.outcome), ...parts].join("\n\n");
    }
    case "notice":
      return `${words.notice}\n\n${quoted(entry.text)}`;
    default:
      return undefined;
  }
}

function journeyBlock(entry: Entry, { words }: MarkdownTexts): string | undefined {
  switch (entry.kind) {
    case "backtrack":
      return backtrackBlock(entry, words);
    case "rewind":
      return words.rewound(entry.to, entry.scope);
    case "redo":
      return words.redone(codeSpan(entry.journey));
    case "compaction":
      return `${words.compacted}\n\n${quoted(entry.summary)}`;
    case "restored":
      return `*${words.files(entry)}*`;
    default:
      return undefined;
  }
}

function remarkBlock(entry: Entry, around: BlockContext): string | undefined {
  const { words } = around.texts;
  switch (entry.kind) {
    case "todos":
      return [words.todos, entry.items.map((item) => todoLine(item, words)).join("\n")].join("\n\n");
    case "interrupt":
      return `*${words.interrupted(entry.by)}*`;
    case "error": {
      const { message, hint = "" } = around.texts.error(entry);
      return `${words.error(codeSpan(entry.code))}\n\n${quoted([message, hint].join("\n").trim())}`;
    }
    case "host":
      if (around.wentOnBefore(entry)) return undefined;
      return `*${words.host(inline(entry.host), codeSpan(entry.hostSession))}*`;
    case "foreign":
      return `*${words.foreign(codeSpan(entry.foreignKind))}*`;
    default:
      return undefined;
  }
}

function backtrackBlock({ to, prompt, rationale, note }: EntryOf<"backtrack">, words: Words): string {
  return [
    words.wentBack(to),
    quoted(note),
    ...(rationale === undefined ? [] : [words.why(inline(rationale))]),
    ...(prompt === undefined ? [] : [words.backAt(inline(prompt))]),
  ].join("\n\n");
}

/** Renders the prompts that a backtrack repeats, for logs that lack the part with the original prompts. */
export function carriedPrompts({ prompts }: EntryOf<"backtrack">, { words }: MarkdownTexts): string {
  return [words.carriedPrompts, ...promptParts(prompts.flat(), words)].join("\n\n");
}

function placeName(
  entry: EntryOf<"checkpoint"> | EntryOf<"step">,
  { labels, steps, texts: { words } }: BlockContext,
): string {
  const step = steps.get(entry.seq);
  const known = [
    ...(step === undefined ? [] : [stepName(step, words)]),
    ...[labels.get(entry.id) ?? []].flat().map(inline),
  ];
  const name = entry.kind === "step" ? words.step(entry.number) : words.checkpoint(entry.number);
  return known.length === 0 ? name : words.named(name, known);
}

function stepName({ name, status }: NamedStep, words: Words): string {
  return status === "failed" ? words.failed(inline(name)) : inline(name);
}

/**
 * Renders the start of a tool call. The reply already shows the requested call, so the input is rendered only if it
 * differs from the requested input.
 */
function startBlock({ call, name, input }: EntryOf<"tool-start">, around: BlockContext): string | undefined {
  const { words } = around.texts;
  if (input === undefined) return undefined;
  const command = isPersonCall(call) && isJsonObject(input) ? input["command"] : undefined;
  if (typeof command !== "string") return `${words.ranWith(codeSpan(name))}\n\n${jsonBlock(input)}`;
  around.namesByCall.set(call, name);
  return `${words.command}\n\n${fenced(command, "sh")}`;
}

function replyBlock(entry: EntryOf<"reply">, around: BlockContext): string {
  const { words } = around.texts;
  const blocks = entry.parts.map((part) => replyPart(part, around));
  if (entry.end === "interrupted") blocks.push(`*${words.cutOff}*`);
  if (entry.end === "length") blocks.push(`*${words.longest}*`);
  return [words.reply(inline(entry.model)), ...blocks].join("\n\n");
}

function replyPart(part: ReplyPart, around: BlockContext): string {
  const { words } = around.texts;
  switch (part.type) {
    case "text":
      return asWritten(part.text);
    case "thinking":
      return `*${words.thinking}*\n\n${quoted(part.text)}`;
    case "tool-call":
      around.namesByCall.set(part.call, part.name);
      return `${words.call(codeSpan(part.name))}\n\n${
        part.malformed === undefined ? jsonBlock(part.input) : fenced(part.malformed)
      }`;
    default:
      return part satisfies never;
  }
}

function promptParts(parts: readonly Part[], words: Words): readonly string[] {
  return parts.map((part) => (part.type === "text" ? quoted(part.text) : imageLine(part.mediaType, words)));
}

function imageLine(mediaType: string, words: Words): string {
  return `*${words.image(inline(mediaType))}*`;
}

function jsonBlock(value: Json): string {
  return fenced(JSON.stringify(value, undefined, 2), "json");
}

function todoLine({ status, text }: TodoItem, words: Words): string {
  return `- [${status === "done" ? "x" : " "}] ${status === "doing" ? words.doing(inline(text)) : inline(text)}`;
}

/**
 * The functions below create Markdown blocks. No matter what a tool or a user wrote, the text cannot break out of its
 * block.
 */

const LINE_END = /\r\n|\n|\r/;

/**
 * Creates a code block whose fence is longer than any run of backticks in the text, so that the text cannot close it.
 */
export function fenced(text: string, language = ""): string {
  const runs = text.match(/`+/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 0);
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/**
 * Creates a block quote. The quote ends after its last line, which also ends every block that is still open inside it.
 */
export function quoted(text: string): string {
  return text
    .split(LINE_END)
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

/** Returns the model's Markdown unchanged, or quotes it if it would otherwise swallow what comes after it. */
export function asWritten(text: string): string {
  return isClosed(text) ? text : quoted(text);
}

/**
 * Creates a folded section that the reader can open. The section's blocks must be created with `foldable` or be folded
 * sections themselves.
 */
export function details(summary: string, blocks: readonly string[]): string {
  return `<details>\n<summary>${summary}</summary>\n\n${blocks.join("\n\n")}\n\n</details>`;
}

/** Adapts a block so that it cannot close the folded section around it. */
export function foldable(block: string): string {
  let fence = "";
  const lines = block.split("\n").map((line) => {
    const isCode = fence !== "";
    fence = fenceAfter(fence, line);
    return isCode ? line : line.replace(/<(?=\/?(?:details|summary)\b)/giu, "&lt;");
  });
  return lines.join("\n");
}

export function codeSpan(text: string): string {
  const line = oneLine(text);
  const runs = line.match(/`+/g) ?? [];
  const fence = "`".repeat(runs.reduce((most, run) => Math.max(most, run.length), 0) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") || line === "" ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Escapes text, such as a title, that is shown within a line. */
export function inline(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>#|~]/g, "\\$&");
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

/** Checks whether all fences are closed and no HTML element that needs an end tag is left open. */
function isClosed(text: string): boolean {
  const lines = text.split(LINE_END);
  if (lines.some((line) => /^ {0,3}<(?:script|pre|style|textarea|!|\?)/i.test(line))) return false;
  return lines.reduce(fenceAfter, "") === "";
}

/** The code fence that is open after `line`, given the fence that was open before the line. */
function fenceAfter(open: string, line: string): string {
  const [, fence = "", rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (fence === "") return open;
  if (open !== "") return fence.startsWith(open) && rest.trim() === "" ? "" : open;
  return fence.startsWith("`") && rest.includes("`") ? "" : fence;
}
