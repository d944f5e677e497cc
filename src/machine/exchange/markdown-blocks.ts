import type { Entry, EntryOf } from "../../record/entry.ts";
import type { LoggedCounts } from "../../record/files.ts";
import type { EntryId, Seq } from "../../record/ids.ts";
import { isJsonObject, type Json, type Part, type ReplyPart, type TodoItem } from "../../record/parts.ts";
import { isPersonCall } from "../../timeline/calls.ts";
import type { NamedStep } from "../checkpoint-list.ts";

/** What is needed, in addition to the entry itself, to render a block of the transcript. */
export interface BlockContext {
  readonly labels: ReadonlyMap<EntryId, string>;
  /** The steps of a program, keyed by the checkpoints after them. */
  readonly steps: ReadonlyMap<Seq, NamedStep>;
  /** The names of the tools that were called, keyed by call, because a result refers only to its call. */
  readonly namesByCall: Map<string, string>;
  /** Whether the branch was already using the other agent's session before this entry. */
  readonly wentOnBefore: (entry: EntryOf<"host">) => boolean;
}

/** Renders the entry as Markdown; undefined for an entry that is of no interest to readers. */
export function entryBlock(entry: Entry, around: BlockContext): string | undefined {
  const block = conversationBlock(entry, around) ?? journeyBlock(entry) ?? remarkBlock(entry, around);
  if (block === undefined || entry.forgotten === undefined) return block;
  return `${block}\n\n*Something that stood here was forgotten by its owner, ${inline(entry.forgotten.at)}.*`;
}

function conversationBlock(entry: Entry, around: BlockContext): string | undefined {
  switch (entry.kind) {
    case "checkpoint":
      return `## ${placeName(entry, around)}`;
    case "step":
      return `### ${placeName(entry, around)}${fillOf(entry)}`;
    case "prompt":
      return ["**Prompt**", ...entry.parts.map(promptPart)].join("\n\n");
    case "reply":
      return replyBlock(entry, around);
    case "tool-start":
      return startBlock(entry, around);
    case "tool-end": {
      const name = around.namesByCall.get(entry.call) ?? entry.call;
      return [`**Result of ${codeSpan(name)}** (${entry.outcome})`, ...entry.parts.map(resultPart)].join(
        "\n\n",
      );
    }
    case "notice":
      return `**Told to the model**\n\n${quoted(entry.text)}`;
    default:
      return undefined;
  }
}

function journeyBlock(entry: Entry): string | undefined {
  switch (entry.kind) {
    case "backtrack":
      return backtrackBlock(entry);
    case "rewind":
      return `**Rewound to checkpoint ${entry.to}** (${scopeWords[entry.scope]}).`;
    case "redo":
      return `**Went forward again**, to where ${codeSpan(entry.journey)} had left from.`;
    case "compaction":
      return `**Compacted.** In what the model sees, this summary stands for what came before:\n\n${quoted(entry.summary)}`;
    case "restored":
      return restoredBlock(entry);
    default:
      return undefined;
  }
}

function restoredBlock(counts: LoggedCounts): string {
  const { restored, created = 0, removed = 0, merged = 0, kept, notRestorable = 0, failed } = counts;
  const some = (count: number, what: string): readonly string[] => (count === 0 ? [] : [`${count} ${what}`]);
  const said = [
    `${restored} restored`,
    ...some(created, "created"),
    ...some(removed, "removed"),
    ...some(merged, "merged"),
    `${kept} kept`,
    ...some(notRestorable, "not restorable"),
    `${failed} failed`,
  ];
  return `*Files: ${said.join(", ")}.*`;
}

function remarkBlock(entry: Entry, around: BlockContext): string | undefined {
  switch (entry.kind) {
    case "todos":
      return ["**Todos**", entry.items.map(todoLine).join("\n")].join("\n\n");
    case "interrupt":
      return `*Interrupted by the ${entry.by}.*`;
    case "error":
      return `**Error ${codeSpan(entry.code)}**\n\n${quoted([entry.message, entry.hint ?? ""].join("\n").trim())}`;
    case "host":
      if (around.wentOnBefore(entry)) return undefined;
      return `*Went on in ${inline(entry.host)}, session ${codeSpan(entry.hostSession)}.*`;
    case "foreign":
      return `*An entry of kind ${codeSpan(entry.foreignKind)}, which this version does not know.*`;
    default:
      return undefined;
  }
}

function backtrackBlock({ to, prompt, rationale, note }: EntryOf<"backtrack">): string {
  return [
    `**The agent went back to checkpoint ${to}**, with a note to itself:`,
    quoted(note),
    ...(rationale === undefined ? [] : [`Why: ${inline(rationale)}`]),
    ...(prompt === undefined ? [] : [`Back at the prompt: ${inline(prompt)}`]),
  ].join("\n\n");
}

/** The prompts that a backtrack repeats. They are rendered for logs that lack the part with the original prompts. */
export function carriedPrompts({ prompts }: EntryOf<"backtrack">): string {
  return ["**Prompts given before the agent went back**", ...prompts.flat().map(promptPart)].join("\n\n");
}

const scopeWords = { both: "conversation and files", conversation: "conversation", files: "files" } as const;

function placeName(
  entry: EntryOf<"checkpoint"> | EntryOf<"step">,
  { labels, steps }: Pick<BlockContext, "labels" | "steps">,
): string {
  const step = steps.get(entry.seq);
  const failed = step?.status === "failed" ? " (failed)" : "";
  const known = [
    ...(step === undefined ? [] : [`${inline(step.name)}${failed}`]),
    ...[labels.get(entry.id) ?? []].flat().map(inline),
  ];
  const name = `${entry.kind === "step" ? "Step" : "Checkpoint"} ${entry.number}`;
  return known.length === 0 ? name : `${name}: ${known.join(", ")}`;
}

function fillOf(step: EntryOf<"step">): string {
  return step.fill === undefined ? "" : ` (context ${step.fill} %)`;
}

/**
 * Renders the start of a tool call. The reply already shows the requested call, so the input is rendered only if it
 * differs from the requested input.
 */
function startBlock({ call, name, input }: EntryOf<"tool-start">, around: BlockContext): string | undefined {
  if (input === undefined) return undefined;
  const command = isPersonCall(call) && isJsonObject(input) ? input["command"] : undefined;
  if (typeof command !== "string") return `**${codeSpan(name)} was run with**\n\n${jsonBlock(input)}`;
  around.namesByCall.set(call, name);
  return `**The person ran**\n\n${fenced(command, "sh")}`;
}

function replyBlock(entry: EntryOf<"reply">, around: BlockContext): string {
  const blocks = entry.parts.map((part) => replyPart(part, around));
  if (entry.end === "interrupted") blocks.push("*The reply was cut off here.*");
  if (entry.end === "length") blocks.push("*The reply reached its longest length here.*");
  return [`**Reply** (${inline(entry.model)})`, ...blocks].join("\n\n");
}

function replyPart(part: ReplyPart, around: BlockContext): string {
  switch (part.type) {
    case "text":
      return asWritten(part.text);
    case "thinking":
      return `*Thinking*\n\n${quoted(part.text)}`;
    case "tool-call":
      around.namesByCall.set(part.call, part.name);
      return `**Call of ${codeSpan(part.name)}**\n\n${
        part.malformed === undefined ? jsonBlock(part.input) : fenced(part.malformed)
      }`;
    default:
      return part satisfies never;
  }
}

function promptPart(part: Part): string {
  return part.type === "text" ? quoted(part.text) : imageLine(part.mediaType);
}

function resultPart(part: Part): string {
  return part.type === "text" ? fenced(part.text) : imageLine(part.mediaType);
}

function imageLine(mediaType: string): string {
  return `*(an image, ${inline(mediaType)})*`;
}

function jsonBlock(value: Json): string {
  return fenced(JSON.stringify(value, undefined, 2), "json");
}

function todoLine(item: TodoItem): string {
  const mark = item.status === "done" ? "x" : " ";
  return `- [${mark}] ${inline(item.text)}${item.status === "doing" ? " (doing)" : ""}`;
}

/**
 * The functions below create Markdown blocks that their content cannot break out of, no matter what a tool or a user
 * wrote.
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

/** Creates a quotation. It ends after its last line, which also ends every block that is still open within it. */
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
 * Creates a section that is folded until the reader opens it. Its blocks must be created with `foldable` or be folded
 * sections themselves.
 */
export function details(summary: string, blocks: readonly string[]): string {
  return `<details>\n<summary>${summary}</summary>\n\n${blocks.join("\n\n")}\n\n</details>`;
}

/** Creates a block that cannot close the folded section around it. */
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

/** Whether all fences are closed, and no HTML element is left open that only its end tag would close. */
function isClosed(text: string): boolean {
  const lines = text.split(LINE_END);
  if (lines.some((line) => /^ {0,3}<(?:script|pre|style|textarea|!|\?)/i.test(line))) return false;
  return lines.reduce(fenceAfter, "") === "";
}

/** The fence that is open after `line`, given the fence that is open before it. */
function fenceAfter(open: string, line: string): string {
  const [, fence = "", rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (fence === "") return open;
  if (open !== "") return fence.startsWith(open) && rest.trim() === "" ? "" : open;
  return fence.startsWith("`") && rest.includes("`") ? "" : fence;
}
