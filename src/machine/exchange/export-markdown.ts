import type { Entry } from "../../record/entry.ts";
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
  type MarkdownTexts,
} from "./markdown-blocks.ts";

export interface MarkdownOptions {
  /** "here": the branch of the head. "all": all branches, in the order in which the entries were written. */
  readonly branch: "here" | "all";
  readonly texts: MarkdownTexts;
}

/** Exports a transcript for people to read. Worldline cannot import it. */
export async function exportMarkdown(view: SessionView, { branch, texts }: MarkdownOptions): Promise<string> {
  const around: BlockContext = {
    texts,
    labels: await view.labels(),
    steps: await programSteps(view),
    namesByCall: new Map(),
    wentOnBefore: hostsTold(view.outline),
  };
  const writing: BlockWriting = { ...around, write: (block) => block };
  const blocks = [await heading(view, texts.words)];
  if (branch === "here") {
    for (const entry of await view.history()) blocks.push(...(await blocksOf(view, entry, writing)));
  } else {
    for await (const entry of view.all()) blocks.push(...[entryBlock(entry, around) ?? []].flat());
  }
  return `${blocks.join("\n\n")}\n`;
}

interface BlockWriting extends BlockContext {
  /** Adapts a block to the context in which it is rendered, such as a folded section. */
  readonly write: (block: string) => string;
}

/**
 * Renders an entry. Entries that a journey left behind are rendered in a folded section before the journey, so that
 * readers find them where they happened.
 */
async function blocksOf(view: SessionView, entry: Entry, around: BlockWriting): Promise<readonly string[]> {
  const { words } = around.texts;
  const leaves = entry.kind === "backtrack" || (entry.kind === "redo" && entry.scope !== "files");
  const found = leaves ? await leftPart(view, entry.id) : [];
  const left = found ?? [];
  const inside: string[] = [];
  for (const each of left) inside.push(...(await blocksOf(view, each, { ...around, write: foldable })));
  const block = entryBlock(entry, around);
  const isMissing = entry.kind === "backtrack" && entry.prompts.length > 0 && found === undefined;
  return [
    ...(left.some(isSaid) ? [details(leftSummary(entry, left, words), inside)] : []),
    ...(block === undefined ? [] : [around.write(block)]),
    ...(isMissing ? [around.write(carriedPrompts(entry, around.texts))] : []),
  ];
}

function isSaid({ kind }: Entry): boolean {
  return kind === "prompt" || kind === "reply" || kind === "backtrack";
}

function leftSummary(journey: Entry, left: readonly Entry[], words: MarkdownTexts["words"]): string {
  const prompts = left.filter(({ kind }) => kind === "prompt").length;
  const replies = left.filter(({ kind }) => kind === "reply").length;
  return words.left(journey.kind === "backtrack" ? "backtrack" : "redo", prompts, replies);
}

/**
 * Checks whether a `host` entry continues the same session as the previous one. Entries are rendered in log order, so
 * the previous `host` entry of any branch has already been rendered.
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

async function heading(view: SessionView, words: MarkdownTexts["words"]): Promise<string> {
  const { title, created, used, workspace } = await summarise(view);
  const facts = [
    words.session(codeSpan(view.id)),
    words.workspace(codeSpan(workspace)),
    words.used(timeOf(created), timeOf(used)),
    ...(view.damage.length === 0 ? [] : [words.damaged(view.damage.length)]),
  ];
  return `# ${inline(title) || words.untitled}\n\n${facts.map((fact) => `- ${fact}`).join("\n")}`;
}

function timeOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
