import type { Entry } from "../../record/entry.ts";
import { checkArguments, checkOptions, option } from "../../record/options.ts";
import type { Outline } from "../../timeline/outline.ts";
import { nearest } from "../../timeline/outline.ts";
import { programSteps } from "../checkpoint-list.ts";
import { leftPart } from "../queries/left-behind.ts";
import { summarise } from "../queries/sessions.ts";
import type { SessionView } from "../view.ts";
import {
  type BlockContext,
  carriedPrompts,
  codeSpan,
  details,
  entryBlock,
  foldable,
  inline,
} from "./markdown-blocks.ts";

export interface MarkdownOptions {
  /** "here": the branch of the head. "all": all branches, in the order in which the entries were written. */
  readonly branch?: "here" | "all";
}

/** Exports a transcript that is meant for people. Worldline does not read it back. */
export async function exportMarkdown(view: SessionView, options: MarkdownOptions = {}): Promise<string> {
  checkArguments("exportMarkdown", { view: [view, option.view] });
  checkOptions<MarkdownOptions>(options, {
    call: "exportMarkdown",
    kinds: { branch: option.oneOf("here", "all") },
  });
  const around: BlockContext = {
    labels: await view.labels(),
    steps: await programSteps(view),
    namesByCall: new Map(),
    wentOnBefore: hostsTold(view.outline),
  };
  const writing: BlockWriting = { ...around, write: (block) => block };
  const blocks = [await heading(view)];
  if ((options.branch ?? "here") === "here") {
    for (const entry of await view.history()) blocks.push(...(await blocksOf(view, entry, writing)));
  } else {
    for await (const entry of view.all()) blocks.push(...[entryBlock(entry, around) ?? []].flat());
  }
  return `${blocks.join("\n\n")}\n`;
}

interface BlockWriting extends BlockContext {
  /** Adapts a block to the context in which it is written. */
  readonly write: (block: string) => string;
}

/**
 * Renders an entry. What a journey left is rendered before the journey and folded, so that readers find it where it
 * happened.
 */
async function blocksOf(view: SessionView, entry: Entry, around: BlockWriting): Promise<readonly string[]> {
  const leaves = entry.kind === "backtrack" || (entry.kind === "redo" && entry.scope !== "files");
  const found = leaves ? await leftPart(view, entry.id) : [];
  const left = found ?? [];
  const inside: string[] = [];
  for (const each of left) inside.push(...(await blocksOf(view, each, { ...around, write: foldable })));
  const block = entryBlock(entry, around);
  const isMissing = entry.kind === "backtrack" && entry.prompts.length > 0 && found === undefined;
  return [
    ...(left.some(isSaid) ? [details(leftSummary(entry, left), inside)] : []),
    ...(block === undefined ? [] : [around.write(block)]),
    ...(isMissing ? [around.write(carriedPrompts(entry))] : []),
  ];
}

function isSaid({ kind }: Entry): boolean {
  return kind === "prompt" || kind === "reply" || kind === "backtrack";
}

function leftSummary(journey: Entry, left: readonly Entry[]): string {
  const prompts = left.filter(({ kind }) => kind === "prompt").length;
  const replies = left.filter(({ kind }) => kind === "reply").length;
  const before = journey.kind === "backtrack" ? "Before the agent went back" : "Before the redo";
  return `${before}: ${counted(prompts, "prompt")}, ${counted(replies, "reply")}`;
}

function counted(count: number, what: "prompt" | "reply"): string {
  if (count === 1) return `1 ${what}`;
  return `${count} ${what === "reply" ? "replies" : "prompts"}`;
}

/**
 * Finds out whether a `host` entry continues the same session as before. Entries are written in the order of the log,
 * so the previous `host` entry of any branch has already been written.
 */
function hostsTold(outline: Outline): BlockContext["wentOnBefore"] {
  const sessions = new Map<number, string>();
  return ({ seq, host, hostSession }) => {
    const session = JSON.stringify([host, hostSession]);
    sessions.set(seq, session);
    const before = nearest(outline, outline.at(outline.at(seq)?.parent ?? 0), ({ kind }) => kind === "host");
    return before !== undefined && sessions.get(before.seq) === session;
  };
}

async function heading(view: SessionView): Promise<string> {
  const { title, created, used, workspace } = await summarise(view);
  const facts = [
    `- Session ${codeSpan(view.id)}`,
    `- Workspace ${codeSpan(workspace)}`,
    `- Begun ${timeOf(created)}, last used ${timeOf(used)}`,
    ...(view.damage.length === 0 ? [] : [`- ${damagedParts(view.damage.length)} of its log cannot be read`]),
  ];
  return `# ${inline(title) || "A session without a title"}\n\n${facts.join("\n")}`;
}

function damagedParts(count: number): string {
  return count === 1 ? "1 part" : `${count} parts`;
}

function timeOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
