import type { Clock } from "../../../ports/clock.ts";
import type { Draft, Entry, EntryOf } from "../../../record/entry.ts";
import { type Remark, remark } from "../../../record/error.ts";
import { type EntryId, toCheckpointNumber } from "../../../record/ids.ts";
import type { Framing } from "../../../timeline/context/foreign-text.ts";
import { quoteLines } from "../../../timeline/context/notices.ts";
import { Outline } from "../../../timeline/outline.ts";
import { stamp } from "../../writer.ts";
import type { KimiLine } from "./kimi-lines.ts";
import { isMarker, isOwnText, type SentNote, sentNoteIn, standsBefore, usageOf } from "./kimi-lines.ts";
import { textIn } from "./kimi-record.ts";

/** A kimi-cli checkpoint and its number in the new session. */
export interface ImportedNumber {
  readonly original: number;
  readonly number: number;
  readonly file: string;
  readonly line: number;
  /** "again": kimi-cli had already used the same id for an earlier checkpoint. */
  readonly meaning: "first" | "again";
}

/** A converted line, and the state of the conversion after that line. */
interface StoryLine {
  readonly text: string;
  readonly tokens: number;
  readonly checkpoint?: Landing;
}

interface Landing {
  readonly id: EntryId;
  readonly number: number;
  readonly original: number;
}

/**
 * Converts the files of a session, oldest first, to the entries of one log. Each file begins with the same lines as the
 * previous file. Where the two files diverge, the log goes back to the last checkpoint that both files contain, and the
 * remaining lines of the older file become an abandoned branch.
 */
export class KimiStory {
  readonly entries: Entry[] = [];
  readonly numbers: ImportedNumber[] = [];
  readonly #noticed = new Set<"kimi-media-missing" | "kimi-results-unmatched">();
  branchesLeft = 0;
  readonly #outline = new Outline();
  readonly #world: { readonly clock: Clock; readonly framing: Framing };
  readonly #originals = new Set<number>();
  readonly #backtracks: number[] = [];
  #told: StoryLine[] = [];
  /** The place to go back to if a file shares no checkpoint with the previous file. */
  #start: Landing | undefined;
  #tokens = 0;
  #note: SentNote | undefined;
  readonly #calls = new Set<string>();

  constructor(header: EntryOf<"session">, clock: Clock) {
    this.#outline.add(header);
    this.#world = { clock, framing: header };
  }

  /** Remarks about content that could not be imported unchanged. */
  get remarks(): readonly Remark[] {
    return [...this.#noticed].map((reason) => remark(reason));
  }

  addLines(lines: readonly KimiLine[]): void {
    const shared = sharedLines(this.#told, lines);
    const from = shared < this.#told.length ? this.#goBack(shared, lines) : shared;
    for (let at = from; at < lines.length; at += 1) this.#addLine(lines, at);
  }

  /** Adds an entry that is not from kimi-cli, such as the title, after all entries from kimi-cli. */
  add(draft: Draft, parent?: EntryId): Entry {
    const entry = stamp({ draft, ...(parent === undefined ? {} : { parent }) }, this.#outline, this.#world);
    this.#outline.add(entry);
    this.entries.push(entry);
    return entry;
  }

  /** Goes back to the last shared checkpoint. Returns the index of the next line to convert in the new file. */
  #goBack(shared: number, lines: readonly KimiLine[]): number {
    const last = this.#told.slice(0, shared).findLastIndex((told) => told.checkpoint !== undefined);
    const landing = this.#told[last]?.checkpoint ?? this.#start;
    const from = this.#outline.head?.id;
    if (landing === undefined || from === undefined) return shared;
    this.branchesLeft += 1;
    this.#told = this.#told.slice(0, last + 1);
    this.#tokens = this.#told.at(-1)?.tokens ?? 0;
    const carried = this.#noteBehind(lines, { at: last + 1, landing });
    const to = toCheckpointNumber(landing.number);
    if (carried === undefined) {
      this.add({ kind: "rewind", to, from, scope: "conversation" }, landing.id);
      return last + 1;
    }
    this.#backtracks.push(landing.number);
    const times = this.#backtracks.filter((number) => number === landing.number).length;
    const empty = { prompts: [], told: [], changed: [], running: [] };
    this.add(
      { kind: "backtrack", to, from, files: "keep", note: carried.message, ...empty, times },
      landing.id,
    );
    for (const { text } of lines.slice(last + 1, carried.behind))
      this.#told.push({ text, tokens: this.#tokens });
    return carried.behind;
  }

  /**
   * Finds the note that the agent left when it backtracked. The agent sent the note in the last tool call on the
   * abandoned branch. The new file must continue with a message that contains the note.
   */
  #noteBehind(
    lines: readonly KimiLine[],
    place: { readonly at: number; readonly landing: Landing },
  ): { readonly message: string; readonly behind: number } | undefined {
    const note = this.#note;
    this.#note = undefined;
    if (note === undefined || note.to !== place.landing.original) return undefined;
    const at = isMarker(lines, place.at) ? place.at + 1 : place.at;
    const record = lines[at]?.record;
    const isIt =
      record?.is === "user" && isOwnText(record.parts) && textIn(record.parts).includes(note.message);
    return isIt ? { message: note.message, behind: at + 1 } : undefined;
  }

  #addLine(lines: readonly KimiLine[], at: number): void {
    const line = lines[at] as KimiLine;
    const { record } = line;
    if (record.is === "usage") this.#tokens = record.tokens;
    if (this.#start === undefined && record.is !== "checkpoint") this.#begin();
    const checkpoint =
      record.is === "checkpoint" ? this.#addCheckpoint(line, standsBefore(lines, at)) : undefined;
    if (checkpoint === undefined && !isMarker(lines, at)) this.#addMessage(lines, at);
    this.#start ??= checkpoint;
    const told = { text: line.text, tokens: this.#tokens };
    this.#told.push(checkpoint === undefined ? told : { ...told, checkpoint });
  }

  /**
   * Adds a checkpoint at the start of a session that does not begin with one, so that users can go back to the
   * beginning.
   */
  #begin(): void {
    const number = this.#nextNumber();
    const { id } = this.add({ kind: "checkpoint", number, on: "manual" });
    this.#start = { id, number, original: -1 };
  }

  #addCheckpoint({ record, file, line }: KimiLine, before: "prompt" | "step"): Landing {
    const original = record.is === "checkpoint" ? record.original : 0;
    const number = this.#nextNumber();
    const meaning = this.#originals.has(original) ? "again" : "first";
    this.#originals.add(original);
    this.numbers.push({ original, number, file, line, meaning });
    const place =
      before === "prompt"
        ? ({ kind: "checkpoint", number, on: "prompt", original } as const)
        : ({ kind: "step", number, original } as const);
    return { id: this.add(place).id, number, original };
  }

  #addMessage(lines: readonly KimiLine[], at: number): void {
    const record = lines[at]?.record;
    if (record === undefined) return;
    if ("leftOut" in record && record.leftOut > 0) {
      this.#noticed.add("kimi-media-missing");
    }
    switch (record.is) {
      case "user":
        if (isOwnText(record.parts)) this.#addNotice(textIn(record.parts));
        else this.add({ kind: "prompt", parts: record.parts });
        break;
      case "notice":
        this.#addNotice(record.text);
        break;
      case "reply":
        this.#addReply(lines, at);
        break;
      case "result":
        if (!this.#calls.has(record.call)) this.#noticed.add("kimi-results-unmatched");
        this.add({ kind: "tool-end", call: record.call, outcome: record.outcome, parts: record.parts });
        break;
      default:
    }
  }

  /**
   * Keeps a message that kimi-cli sent to its model as a quoted notice, so that it is not mistaken for a message from
   * Worldline.
   */
  #addNotice(text: string): void {
    this.add({ kind: "notice", text: `kimi-cli told the agent:\n${quoteLines(text)}` });
  }

  #addReply(lines: readonly KimiLine[], at: number): void {
    const record = lines[at]?.record;
    if (record?.is !== "reply") return;
    const usage = usageOf(lines, at);
    // A placeholder, because the files do not name the model.
    const reply = { kind: "reply", parts: record.parts, model: "unknown" } as const;
    const draft = { ...reply, ...(usage === undefined ? {} : { usage }) };
    for (const part of record.parts) if (part.type === "tool-call") this.#calls.add(part.call);
    this.#note = sentNoteIn(draft);
    this.add(draft);
  }

  #nextNumber(): ReturnType<typeof toCheckpointNumber> {
    return toCheckpointNumber(this.#outline.highestNumber + 1);
  }
}

/** The number of identical lines at the beginning of both files. */
function sharedLines(told: readonly StoryLine[], lines: readonly KimiLine[]): number {
  let shared = 0;
  while (shared < told.length && told[shared]?.text === lines[shared]?.text) shared += 1;
  return shared;
}
