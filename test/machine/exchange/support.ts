import * as fc from "fast-check";
import { exportBundle } from "../../../src/machine/exchange/bundle/export-bundle.ts";
import { createSession, type SessionContext, viewSession } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import type { Entry } from "../../../src/record/entry.ts";
import { isWorldlineError } from "../../../src/record/error.ts";
import { type SessionId, toSeq } from "../../../src/record/ids.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { ManualClock } from "../../../src/testing/simulated-system.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";

export const holding = { name: "a test" };

/** A store to work on, and a way to clean it up. */
export interface Place {
  readonly deps: SessionContext;
  /** The folder with all of its data; undefined for the memory store. */
  readonly root?: string;
  close(): Promise<void>;
}

let seed = 100;

/** Each place gets its own seed, so that no two of them create the same session. */
function newClock(): ManualClock {
  seed += 1;
  return new ManualClock({ seed });
}

/** Texts of 60 characters already become blobs here, so that every story has some. */
const settings = { blobBytes: 60, window: 200_000 };

export function memoryPlace(): Place {
  const clock = newClock();
  const store = openMemoryStore({ clock });
  return { deps: { store, clock, settings }, close: async () => store.close() };
}

export function filesPlace(options: { readonly rotateBytes?: number } = {}): Place {
  const clock = newClock();
  const folder = tempFolder();
  const store = openFilesStore({ root: folder.path, clock, ...options });
  return {
    deps: { store, clock, settings },
    root: folder.path,
    close: async () => {
      await store.close();
      folder.remove();
    },
  };
}

export const stores: readonly { readonly name: string; readonly open: () => Place }[] = [
  { name: "memory", open: memoryPlace },
  { name: "files", open: () => filesPlace() },
];

export async function begin(deps: SessionContext, workspace = "/work/project"): Promise<Session> {
  return createSession(deps, { workspace, system: "You are an agent." }, holding);
}

export async function linesOf(store: LogStore, session: SessionId): Promise<readonly Entry[]> {
  const { outline } = await store.open(session);
  return store.read(session, toSeq(1), toSeq(outline.length));
}

/** The same lines as they look after an import: the first one says where it came from. */
export function arrived(lines: readonly Entry[], clock: Clock): readonly Entry[] {
  const [first, ...rest] = lines;
  if (first?.kind !== "session") throw new Error("These are not the lines of a session.");
  const at = new Date(clock.now()).toISOString();
  return [{ ...first, imported: { from: "bundle", name: first.session, at } }, ...rest];
}

export async function bundleOf(store: LogStore, session: SessionId): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of exportBundle(await viewSession(store, session), store)) pieces.push(piece);
  return Buffer.concat(pieces);
}

export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    return isWorldlineError(error) ? error.code : String(error);
  }
}

/** One event in a session. */
export type Event =
  | { readonly do: "prompt" | "reply" | "title" | "todo" | "compact"; readonly text: string }
  | { readonly do: "tool"; readonly text: string; readonly key: string }
  | { readonly do: "checkpoint" }
  | { readonly do: "rewind"; readonly at: number };

/** `word` generates the texts, so that a law can choose what they consist of. */
export function events(word: fc.Arbitrary<string>): fc.Arbitrary<Event[]> {
  const event: fc.Arbitrary<Event> = fc.oneof(
    fc.record({ do: fc.constantFrom("prompt", "reply", "title", "todo", "compact"), text: word }),
    fc.record({ do: fc.constant("tool" as const), text: word, key: word }),
    fc.constant({ do: "checkpoint" as const }),
    fc.record({ do: fc.constant("rewind" as const), at: fc.nat(20) }),
  );
  return fc.array(event, { maxLength: 14 });
}

/** Plays all events; impossible ones (nothing to compact, already there) are skipped. */
export async function live(session: Session, story: readonly Event[]): Promise<void> {
  let call = 0;
  for (const event of story) {
    call += 1;
    try {
      await happen(session, event, `call-${call}`);
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
    }
  }
  await session.close();
}

async function happen(session: Session, event: Event, call: string): Promise<void> {
  switch (event.do) {
    case "prompt":
      await session.prompt(event.text);
      await session.step();
      return;
    case "reply":
      await session.reply({ parts: [{ type: "text", text: event.text }], model: "scripted" });
      return;
    case "tool": {
      const input = { path: "src/pool.ts", [event.key]: [event.text, 7, null] };
      await session.reply({ parts: [{ type: "tool-call", call, name: "Write", input }], model: "scripted" });
      await session.toolStart(call, "Write");
      await session.toolEnd(call, "ok", event.text);
      return;
    }
    case "title":
      await session.retitle(event.text);
      return;
    case "todo":
      await session.todos([{ text: event.text, status: "doing" }]);
      return;
    case "compact":
      await session.compact({ summary: event.text, keep: 1 });
      return;
    case "checkpoint":
      await session.checkpoint();
      return;
    case "rewind":
      await session.rewind((event.at % Math.max(1, session.checkpointCount)) + 1);
      return;
    default:
      event satisfies never;
  }
}
