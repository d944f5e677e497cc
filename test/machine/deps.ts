import type { NewSession, SessionContext } from "../../src/machine/open.ts";
import { createSession, holdSession } from "../../src/machine/open.ts";
import type { Session } from "../../src/machine/session.ts";
import type { SessionSettings } from "../../src/machine/settings.ts";
import type { LogStore, PublishedCheckpoint } from "../../src/ports/log-store.ts";
import type { Entry } from "../../src/record/entry.ts";
import { type ErrorCode, WorldlineError } from "../../src/record/error.ts";
import type { SessionId } from "../../src/record/ids.ts";
import type { ReplyPart } from "../../src/record/parts.ts";
import { MemoryRoom, openMemoryStore } from "../../src/stores/memory.ts";
import { ManualClock } from "../../src/testing/simulated-system.ts";
import { inShort, TAG } from "../story.ts";

export const holding = { name: "a test" };

/** A memory store that records its calls and can be made to fail. */
export interface WatchContext extends SessionContext {
  readonly room: MemoryRoom;
  /** The kinds of entries in each append, in order. */
  readonly appends: string[][];
  readonly published: (readonly PublishedCheckpoint[])[];
  /** How many of the next writes fail, and with which code. */
  failing: { times: number; code: ErrorCode };
  /** The number of the file to begin next, as a files store would report it. */
  fileDue: number | undefined;
  readonly reads: { lines: number };
}

export function openSessionDeps(settings: Partial<SessionSettings> = {}): WatchContext {
  const room = new MemoryRoom();
  const clock = new ManualClock();
  const store = openMemoryStore({ room, clock });
  const deps: WatchContext = {
    store: { ...store },
    clock,
    settings: { window: 200_000, ...settings },
    room,
    appends: [],
    published: [],
    failing: { times: 0, code: "STORE_FULL" },
    fileDue: undefined,
    reads: { lines: 0 },
  };
  Object.assign(deps.store, watching(store, deps));
  return deps;
}

function watching(store: LogStore, deps: WatchContext): Partial<LogStore> {
  const write = async (entries: readonly Entry[], work: () => Promise<void>): Promise<void> => {
    if (deps.failing.times > 0) {
      deps.failing.times -= 1;
      throw new WorldlineError("stated", { code: deps.failing.code, message: "There is no room." });
    }
    await work();
    deps.appends.push(entries.map((entry) => entry.kind));
  };
  return {
    append: async (session, seq, entries) => write(entries, async () => store.append(session, seq, entries)),
    rotate: async (session, entry) =>
      write([entry], async () => {
        await store.rotate(session, entry);
        deps.fileDue = undefined;
      }),
    rotationDue: async () => deps.fileDue,
    publish: async (_session, checkpoints) => void deps.published.push(checkpoints),
    read: async (session, from, to) => {
      const entries = await store.read(session, from, to);
      deps.reads.lines += entries.length;
      return entries;
    },
  };
}

export async function begin(deps: SessionContext, wanted: Partial<NewSession> = {}): Promise<Session> {
  return createSession(deps, { workspace: "/work", system: "You are an agent.", ...wanted }, holding);
}

/** Closes the session and opens it again. */
export async function reopen(deps: SessionContext, session: Session): Promise<Session> {
  await session.close();
  return holdSession(deps, session.id, holding);
}

/** Opens the session again without closing it first, as if its owner had died. */
export async function afterCrash(deps: WatchContext, id: SessionId): Promise<Session> {
  const content = deps.room.sessions.get(id);
  if (content !== undefined) content.owner = undefined;
  return holdSession(deps, id, holding);
}

/** A step whose reply makes these calls, all of which succeed. */
export async function step(session: Session, text: string, ...calls: readonly string[]): Promise<number> {
  const number = await session.step();
  await session.reply({ model: "m", parts: reply(text, ...calls) });
  for (const call of calls) {
    await session.toolStart(call, "read");
    await session.toolEnd(call, "ok", `${call} done`);
  }
  return number;
}

export function reply(text: string, ...calls: readonly string[]): ReplyPart[] {
  const said: ReplyPart[] = text === "" ? [] : [{ type: "text", text }];
  return [...said, ...calls.map((call): ReplyPart => ({ type: "tool-call", call, name: "read", input: {} }))];
}

/** The context in the short form that `test/story.ts` uses. */
export async function says(session: Pick<Session, "context" | "header">, at?: number): Promise<string[]> {
  const { messages } = await session.context(at);
  return messages.map((message) =>
    inShort(message)
      .replaceAll(session.header.tag, TAG)
      .replace(/<\/?system-k3f9x2m7q1>/gu, "|"),
  );
}

export async function kinds(session: Pick<Session, "history">): Promise<string[]> {
  return (await session.history()).map((entry) => entry.kind);
}

/** The text of a refusal, as `CODE message`. */
export async function refusal(act: Promise<unknown>): Promise<string> {
  try {
    await act;
  } catch (error) {
    if (error instanceof WorldlineError) return `${error.code} ${error.message}`;
    throw error;
  }
  throw new Error("it was not refused");
}
