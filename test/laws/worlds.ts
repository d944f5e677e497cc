import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { holdSession, type SessionContext } from "../../src/machine/open.ts";
import type { Session } from "../../src/machine/session.ts";
import { type SessionId, toSeq } from "../../src/record/ids.ts";
import { openFilesStore } from "../../src/stores/files/files.ts";
import { MemoryRoom, openMemoryStore } from "../../src/stores/memory.ts";
import { ManualClock, SimulatedProcesses } from "../../src/testing/simulated-system.ts";
import { tempFolder } from "../../src/testing/temp-folder.ts";

const ROTATE_BYTES = 4_000;
const holding = { name: "a story" };
/**
 * A window of 0 removes the context's size from markers, so the model need not count tokens; all but short
 * texts become blobs.
 */
const settings = { window: 0, blobBytes: 80, maxBacktracksPerTurn: 1_000 };

/** A home for sessions that can be left, crash and be damaged. */
export interface World {
  readonly deps: SessionContext;
  /** Opens the session in a new process, as if the previous one had died in this state. */
  crash(session: Session): Promise<Session>;
  reopen(session: Session): Promise<Session>;
  /** Damages a line of a session that is not held. */
  damage(session: SessionId, line: number): void;
  end(): Promise<void>;
}

export function memoryWorld(): World {
  const room = new MemoryRoom();
  const clock = new ManualClock();
  const deps = { store: openMemoryStore({ room, clock }), clock, settings };
  const hold = async (id: SessionId): Promise<Session> => holdSession(deps, id, holding);
  return {
    deps,
    crash: async ({ id }) => {
      const content = room.sessions.get(id);
      if (content !== undefined) content.owner = undefined;
      return hold(id);
    },
    reopen: async (session) => {
      await session.close();
      return hold(session.id);
    },
    damage: (session, line) => room.sessions.get(session)?.damage(toSeq(line)),
    end: async () => undefined,
  };
}

/** Rotates after a few lines, so that stories span several files. */
export function filesWorld(): World {
  const folder = tempFolder();
  const clock = new ManualClock();
  const processes = new SimulatedProcesses();
  let own = processes.start();
  const open = () => openFilesStore({ root: folder.path, clock, rotateBytes: ROTATE_BYTES, processes: own });
  const deps = { store: open(), clock, settings };
  const pathOf = (session: SessionId) => join(folder.path, "sessions", session);
  const hold = async (id: SessionId): Promise<Session> => holdSession(deps, id, holding);
  return {
    deps,
    crash: async ({ id }) => {
      processes.kill(own.pid);
      own = processes.start();
      deps.store = open();
      // Simulates what the dead process was writing: a line that was never finished.
      const log = join(pathOf(id), "log.jsonl");
      if (clock.below(2) === 0) writeFileSync(log, '{"seq":9999,"id":"torn', { flag: "a" });
      if (clock.below(3) === 0) rmSync(join(pathOf(id), "index"), { force: true });
      return hold(id);
    },
    reopen: async (session) => {
      await session.close();
      await deps.store.close();
      deps.store = open();
      return hold(session.id);
    },
    damage: (session, line) => {
      const files = readdirSync(pathOf(session)).filter((name) => name.startsWith("log.jsonl"));
      for (const file of files) damageIn(join(pathOf(session), file), line, clock);
      rmSync(join(pathOf(session), "index"), { force: true });
    },
    end: async () => {
      await deps.store.close();
      folder.remove();
    },
  };
}

/** Flips a bit somewhere in the line with that number, if the file holds it. */
function damageIn(path: string, line: number, clock: ManualClock): void {
  const bytes = readFileSync(path);
  const beginning = Buffer.from(`{"seq":${line},`);
  const start = bytes.subarray(0, beginning.length).equals(beginning)
    ? 0
    : bytes.indexOf(`\n{"seq":${line},`) + 1;
  if (start === 0 && !bytes.subarray(0, beginning.length).equals(beginning)) return;
  const at = start + clock.below(bytes.indexOf(10, start) - start);
  bytes[at] = (bytes[at] ?? 0) ^ 0x80;
  writeFileSync(path, bytes);
}
