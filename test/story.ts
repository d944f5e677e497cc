import { originFor, stamp } from "../src/machine/writer.ts";
import type { Draft, Entry, EntryOf } from "../src/record/entry.ts";
import { FORMAT_VERSION } from "../src/record/entry.ts";
import { type EntryId, type SessionId, type SnapshotId, toCheckpointNumber } from "../src/record/ids.ts";
import { type ReplyPart, textPart } from "../src/record/parts.ts";
import { findCheckpoint } from "../src/timeline/checkpoints.ts";
import type { Context, ContextMessage } from "../src/timeline/context/context.ts";
import { contextOf, lastCompaction, shownLines } from "../src/timeline/context/context.ts";
import { branchOf, Outline } from "../src/timeline/outline.ts";
import type { Row } from "../src/timeline/row.ts";

export const TAG = "k3f9x2m7q1";

/**
 * A session told line by line, each line one entry:
 *
 * ```ts
 * tell("cp 1", "prompt find the leak", "step 2", "reply I look +read(a)", "ok a 40 files", "rewind 1")
 * ```
 *
 * The first line, `session`, is added automatically. Entry `n` of the log has the id `id(n)`.
 */
export function tell(...lines: readonly string[]): Told {
  const told = new Told();
  for (const line of ["session", ...lines]) told.add(line);
  return told;
}

export function id(line: number): EntryId {
  return String(line).padStart(12, "0") as EntryId;
}

export class Told {
  readonly outline = new Outline();
  readonly entries: Entry[] = [];
  readonly lines: string[] = [];

  add(line: string): void {
    this.lines.push(line);
    const seq = this.outline.nextSeq;
    if (line === "lost") this.outline.addGap();
    else {
      const { draft, parent } = draftOf(line, this);
      const entry = stamp({ draft, ...(parent === undefined ? {} : { parent }) }, this.outline, world(seq));
      this.outline.add(entry);
      this.entries.push(entry);
    }
  }

  /** The session as it opens when these lines are damaged; all other lines are unchanged. */
  without(...damaged: readonly number[]): Told {
    const told = new Told();
    told.lines.push(...this.lines);
    for (const entry of this.entries) {
      if (damaged.includes(entry.seq)) told.outline.addGap();
      else {
        told.outline.add(entry);
        told.entries.push(entry);
      }
    }
    return told;
  }

  /** Adds a line of a kind that this program does not know. */
  addForeign(foreignKind: string): void {
    const seq = this.outline.nextSeq;
    const parent = this.outline.head;
    const origin = originFor({ seq, kind: "foreign", parent, outline: this.outline });
    const entry = {
      seq,
      id: id(seq),
      parent: parent?.id ?? null,
      at: new Date(0).toISOString(),
      ...(origin === undefined ? {} : { origin }),
      kind: "foreign" as const,
      foreignKind,
      fields: {},
    };
    this.lines.push(foreignKind);
    this.outline.add(entry);
    this.entries.push(entry);
  }

  entry(line: number): Entry {
    const found = this.entries.find((entry) => entry.seq === line);
    if (found === undefined) throw new Error(`line ${line} is lost`);
    return found;
  }

  of<Kind extends Entry["kind"]>(kind: Kind): Extract<Entry, { kind: Kind }>[] {
    return this.entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind);
  }

  row(line: number): Row {
    const row = this.outline.at(line);
    if (row === undefined) throw new Error(`line ${line} is lost`);
    return row;
  }

  /** The lines of the branch, as the test passed them to `tell`. */
  branch(head: Row | undefined = this.outline.head): string[] {
    return branchOf(this.outline, head).map((row) => this.lines[row.seq - 1] ?? "");
  }

  context(head: Row | undefined = this.outline.head): Context {
    const row = lastCompaction(this.outline, head);
    const compaction = row === undefined ? undefined : (this.entry(row.seq) as EntryOf<"compaction">);
    const lines = shownLines(this.outline, head, compaction);
    return contextOf({
      session: this.entry(1) as EntryOf<"session">,
      ...(compaction === undefined ? {} : { compaction }),
      pinned: lines.pinned.map((line) => this.entry(line)),
      entries: lines.entries.map((line) => this.entry(line)),
    });
  }

  /** The context in short: one string per message, with our own notices in brackets. */
  says(head: Row | undefined = this.outline.head): string[] {
    return this.context(head).messages.map(inShort);
  }
}

/** `user: find the leak [Checkpoint 2]`; brackets stand for a frame with the session's tag. */
export function inShort(message: ContextMessage): string {
  const who = message.role === "tool" ? `${message.call} ${message.outcome}` : message.role;
  return `${who}: ${message.parts.map(partInShort).join(" ")}`;
}

function partInShort(part: ContextMessage["parts"][number]): string {
  switch (part.type) {
    case "text":
      return part.text.replaceAll(`<system-${TAG}>`, "[").replaceAll(`</system-${TAG}>`, "]");
    case "tool-call":
      return `+${part.name}(${part.call})`;
    case "thinking":
      return `(${part.text})`;
    case "image":
      return "(image)";
    default:
      return part satisfies never;
  }
}

function world(seq: number): Parameters<typeof stamp>[2] {
  const digits = (count: number): Uint8Array =>
    Uint8Array.from(String(seq).padStart(count, "0"), (digit) => Number(digit));
  return { framing: { tag: TAG }, clock: { now: () => seq * 1000, random: digits, wait: async () => {} } };
}

interface Placing {
  readonly draft: Draft;
  readonly parent?: EntryId;
}

function draftOf(line: string, told: Told): Placing {
  const [word = "", first = "", ...more] = line.split(" ");
  const text = more.join(" ");
  const rest = [first, ...more].join(" ").trim();
  const tell = tellers[word];
  if (tell === undefined) throw new Error(`nobody tells "${line}"`);
  return tell({ first, text, rest, told });
}

interface Words {
  readonly first: string;
  readonly text: string;
  readonly rest: string;
  readonly told: Told;
}

const tellers: Readonly<Record<string, (words: Words) => Placing>> = {
  session: () => ({
    draft: {
      kind: "session",
      version: FORMAT_VERSION,
      session: "s000000001" as SessionId,
      workspace: "/work",
      mode: "agent",
      system: "You are an agent.",
      tag: TAG,
      backtrack: "on",
      numbersFrom: 0,
    },
  }),
  cp: ({ first, text }) => ({
    draft: { kind: "checkpoint", number: number(first), on: text === "manual" ? "manual" : "prompt" },
  }),
  prompt: ({ rest }) => ({ draft: { kind: "prompt", parts: rest === "" ? [] : [textPart(rest)] } }),
  step: ({ first }) => ({ draft: { kind: "step", number: number(first) } }),
  reply: ({ rest }) => ({ draft: { kind: "reply", parts: replyParts(rest), model: "m" } }),
  counted: ({ first, text }) => {
    const [input = 0, output = 0] = first.split("+").map(Number);
    const usage = { input, output, cacheRead: 0, cacheWrite: 0 };
    return { draft: { kind: "reply", parts: replyParts(text), model: "m", usage } };
  },
  start: ({ first, text }) => ({ draft: { kind: "tool-start", call: first, name: text } }),
  ok: ({ first, text }) => ({ draft: toolEnd("ok", first, text) }),
  error: ({ first, text }) => ({ draft: toolEnd("error", first, text) }),
  denied: ({ first, text }) => ({ draft: toolEnd("denied", first, text) }),
  cut: ({ first, text }) => ({ draft: toolEnd("interrupted", first, text) }),
  notice: ({ rest }) => ({ draft: { kind: "notice", text: rest } }),
  interrupt: () => ({ draft: { kind: "interrupt", by: "person" } }),
  todos: ({ rest }) => ({
    draft: { kind: "todos", items: rest.split(",").map((item) => ({ text: item, status: "open" })) },
  }),
  title: ({ rest }) => ({ draft: { kind: "title", title: rest } }),
  files: ({ first }) => ({
    draft: { kind: "snapshot", checkpoint: number(first), state: "none", author: "timeline" },
  }),
  interval: ({ first }) => ({
    draft: { kind: "interval", snapshot: first as SnapshotId, author: "timeline" },
  }),
  /** `restored`: the files of the journey on the line before. */
  restored: ({ told }) => ({
    draft: { kind: "restored", journey: headOf(told), restored: 0, kept: 0, failed: 0, paths: "" },
  }),
  deleted: ({ first }) => ({ draft: { kind: "checkpoint-delete", index: Number(first), attempt: 1 } }),
  label: ({ first, text, told }) => ({
    draft: { kind: "label", target: placeOf(told, first), label: text },
  }),
  rotated: ({ first }) => ({
    draft: { kind: "rotated", file: Number(first), session: "s000000001" as SessionId, version: 1 },
  }),
  /** `host sdk-1 m7`: that host session knows the branch up to here. */
  host: ({ first, text }) => ({
    draft: { kind: "host", host: "claude", hostSession: first, ...(text === "" ? {} : { message: text }) },
  }),
  rewind: ({ first, told }) => ({
    draft: { kind: "rewind", to: number(first), from: headOf(told), scope: "conversation" },
    parent: placeOf(told, first),
  }),
  backtrack: ({ first, text, told }) => ({
    draft: { ...note, to: number(first), from: headOf(told), note: text },
    parent: placeOf(told, first),
  }),
  /** `redo 7`: undoes the journey on line 7. */
  redo: ({ first, told }) => {
    const journey = told.entry(Number(first));
    const from = "from" in journey ? (journey.from as EntryId) : id(0);
    const revokes = journey.kind === "backtrack" ? ("note" as const) : ("nothing" as const);
    const body = { kind: "redo" as const, journey: journey.id, from: headOf(told), revokes };
    return { draft: { ...body, scope: "conversation" }, parent: from };
  },
  /** `compact 7/3 it went well`: keeps everything from line 7 on, and pins line 3. */
  compact: ({ first, text }) => {
    const [kept, ...pinned] = first.split("/").map(Number);
    return {
      draft: {
        kind: "compaction",
        summary: text,
        firstKept: id(kept ?? 0),
        pinned: pinned.map(id),
        reason: "asked",
        tokensBefore: 0,
        kept: 0,
      },
    };
  },
};

const note = {
  kind: "backtrack" as const,
  files: "keep" as const,
  prompts: [],
  told: [],
  changed: [],
  running: [],
  times: 1,
};

function toolEnd(outcome: EntryOf<"tool-end">["outcome"], call: string, text: string): Draft {
  return { kind: "tool-end", call, outcome, parts: [textPart(text)] };
}

/** `I look +read(a) +grep(b)`: text, then calls. */
function replyParts(text: string): ReplyPart[] {
  const calls = [...text.matchAll(/\+(\w+)\((\w+)\)/gu)].map(([, name = "", call = ""]): ReplyPart => {
    return { type: "tool-call", call, name, input: {} };
  });
  const said = text.replace(/\+\w+\(\w+\)/gu, "").trim();
  return [...(said === "" ? [] : [textPart(said)]), ...calls];
}

function number(text: string): ReturnType<typeof toCheckpointNumber> {
  return toCheckpointNumber(Number(text));
}

function placeOf(told: Told, text: string): EntryId {
  const row = findCheckpoint(told.outline, Number(text));
  if (row === undefined) throw new Error(`there is no checkpoint ${text}`);
  return row.id;
}

function headOf(told: Told): EntryId {
  return told.outline.head?.id ?? id(0);
}
