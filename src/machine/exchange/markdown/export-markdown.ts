import type { Entry } from "../../../record/entry.ts";
import { nearest } from "../../../timeline/branch.ts";
import type { Outline } from "../../../timeline/outline.ts";
import { programSteps } from "../../looking/naming/program-steps.ts";
import { summarise } from "../../looking/sessions.ts";
import type { SessionView } from "../../view.ts";
import { codeSpan, inline } from "./blocks.ts";
import { entryBlock, type Surroundings } from "./entry-block.ts";

export interface MarkdownOptions {
  /** "here": the branch of the head. "all": everything, also what was left, in the order it was written. */
  readonly branch?: "here" | "all";
}

/** A transcript for people. It is written for reading: nothing of ours reads it back. */
export async function exportMarkdown(view: SessionView, options: MarkdownOptions = {}): Promise<string> {
  const around: Surroundings = {
    labels: await view.labels(),
    steps: await programSteps(view),
    namesByCall: new Map(),
    wentOnBefore: hostsTold(view.outline),
  };
  const blocks = [await heading(view)];
  for await (const entry of entriesOf(view, options.branch ?? "here")) {
    const block = entryBlock(entry, around);
    if (block !== undefined) blocks.push(block);
  }
  return `${blocks.join("\n\n")}\n`;
}

/** Entries are told in the order of the log, so that the one before on the branch was heard, whichever branch it is. */
function hostsTold(outline: Outline): Surroundings["wentOnBefore"] {
  const sessions = new Map<number, string>();
  return ({ seq, host, hostSession }) => {
    const session = JSON.stringify([host, hostSession]);
    sessions.set(seq, session);
    const before = nearest(outline, outline.at(outline.at(seq)?.parent ?? 0), ({ kind }) => kind === "host");
    return before !== undefined && sessions.get(before.seq) === session;
  };
}

async function* entriesOf(view: SessionView, branch: "here" | "all"): AsyncGenerator<Entry> {
  if (branch === "all") yield* view.all();
  else yield* await view.history();
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
