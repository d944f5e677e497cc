import { type Entry, type EntryBody, type EntryOf, FORMAT_VERSION, type Origin } from "../record/entry.ts";
import { type EntryId, type SessionId, toCheckpointNumber, toSeq } from "../record/ids.ts";
import { type Json, textPart } from "../record/parts.ts";

const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const BEGINNING = Date.UTC(2026, 0, 1);

/** Returns the id of session `number` in a test. */
export function sessionNumber(number: number): SessionId {
  return `s${spell(number, 9)}` as SessionId;
}

/**
 * A session that is built entry by entry. Each entry follows the previous entry, as in a real session. Building the
 * same story twice produces the same bytes.
 *
 * ```ts
 * const story = new Story();
 * await store.create(story.begin());
 * await store.append(story.session, 2, [story.prompt("find the leak"), story.reply("It is in pool.ts.")]);
 * ```
 */
export class Story {
  readonly session: SessionId;
  readonly entries: Entry[] = [];
  #origin: Origin | undefined;
  #number = 0;

  constructor(session: SessionId = sessionNumber(1)) {
    this.session = session;
  }

  get last(): Entry {
    const last = this.entries.at(-1);
    if (last === undefined) throw new Error("The story has not begun.");
    return last;
  }

  begin(workspace = "/projects/pool"): EntryOf<"session"> {
    return this.tell({
      kind: "session",
      version: FORMAT_VERSION,
      session: this.session,
      workspace,
      mode: "agent",
      system: "You are a helpful agent.",
      tag: "k3f9x2m7q1",
      backtrack: "on",
      numbersFrom: 0,
      estimate: 6,
    });
  }

  prompt(text: string): EntryOf<"prompt"> {
    return this.tell({ kind: "prompt", parts: [textPart(text)], estimate: Math.ceil(text.length / 4) });
  }

  reply(text: string): EntryOf<"reply"> {
    const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 };
    return this.tell({
      kind: "reply",
      parts: [textPart(text)],
      model: "scripted",
      usage,
      estimate: 10,
    });
  }

  /** Adds a reply that calls a tool with this input. */
  call(input: Json): EntryOf<"reply"> {
    const parts = [{ type: "tool-call" as const, call: "call-1", name: "Write", input }];
    return this.tell({ kind: "reply", parts, model: "scripted", estimate: 10 });
  }

  step(): EntryOf<"step"> {
    this.#number += 1;
    const number = toCheckpointNumber(this.#number);
    return this.tell({ kind: "step", number, fill: 1 });
  }

  checkpoint(): EntryOf<"checkpoint"> {
    this.#number += 1;
    return this.tell({ kind: "checkpoint", number: toCheckpointNumber(this.#number), on: "manual" });
  }

  title(title: string): EntryOf<"title"> {
    return this.tell({ kind: "title", title });
  }

  rotated(file: number): EntryOf<"rotated"> {
    return this.tell({ kind: "rotated", file, session: this.session, version: FORMAT_VERSION });
  }

  /** Adds a rewind by the user to a checkpoint in this story. */
  rewindTo(place: EntryOf<"checkpoint"> | EntryOf<"step">): EntryOf<"rewind"> {
    const journey = toSeq(this.entries.length + 1);
    this.#origin = [place.seq, journey];
    const from = this.last.id;
    return this.tell({ kind: "rewind", to: place.number, from, scope: "conversation" }, place.id);
  }

  /** Adds any entry, either after the last entry or after `parent`. */
  tell<Body extends EntryBody>(body: Body, parent?: EntryId): EntryOf<Body["kind"]> {
    const seq = toSeq(this.entries.length + 1);
    const entry = {
      seq,
      id: spell(seq, 12) as EntryId,
      parent: parent ?? this.entries.at(-1)?.id ?? null,
      at: new Date(BEGINNING + seq * 1000).toISOString(),
      ...(this.#origin === undefined ? {} : { origin: this.#origin }),
      ...body,
    } as unknown as EntryOf<Body["kind"]>;
    this.entries.push(entry as Entry);
    return entry;
  }

  /** Removes the last `count` entries, as if they had never been written. */
  untell(count = 1): void {
    this.entries.splice(-count, count);
  }
}

function spell(number: number, length: number): string {
  let text = "";
  for (let rest = number; text.length < length; rest = Math.floor(rest / LETTERS.length)) {
    text = `${LETTERS[rest % LETTERS.length]}${text}`;
  }
  return text;
}
