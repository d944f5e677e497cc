import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentSettings, defaultAgentSettings } from "../../../src/agent/agent-context.ts";
import { readKeys } from "../../../src/agent/models/access.ts";
import { chooseModel } from "../../../src/agent/models/choose-model.ts";
import { NativeAgent } from "../../../src/agent/native-agent.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { realDisk } from "../../../src/disk/disk.ts";
import { realProcesses } from "../../../src/disk/lock-owner.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { createSession, holdSession, type SessionContext } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import { openStore } from "../../../src/open-store.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import type { Person } from "../../../src/ports/person.ts";
import type { WorkspaceFiles } from "../../../src/ports/workspace-files.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { openSnapshotContext, workspaceContext } from "../../../src/snapshots/context.ts";
import { DEFAULT_LIMITS } from "../../../src/snapshots/finding/coverage.ts";
import { realWorkspaceDisk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import type { WorkspaceDisk } from "../../../src/snapshots/workspace/workspace-disk.ts";
import { StoredWorkspaceFiles } from "../../../src/snapshots/workspace-files.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";

/** Where a turn takes place. It must survive JSON, because it is passed to a child process. */
export interface CrashPlace {
  /** The store's address; by default, files in the home. */
  readonly store?: string;
  readonly home: string;
  readonly workspace: string;
  readonly model: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The parts that a test replaces to inject faults or to observe. */
export interface CrashParts {
  /** The disk below everything that is stored in files. */
  readonly disk?: Disk;
  /** Wraps a store that has no files. */
  readonly database?: (store: LogStore) => LogStore;
  readonly workspaceDisk?: WorkspaceDisk;
  /** The clock of the agent and the session; the stores keep their own. */
  readonly clock?: Clock;
  readonly settings?: Partial<AgentSettings>;
  readonly around?: (files: WorkspaceFiles) => WorkspaceFiles;
}

export interface CrashAgent {
  readonly agent: NativeAgent;
  readonly session: Session;
  readonly store: LogStore;
  readonly files: WorkspaceFiles;
  close(): Promise<void>;
}

/** Allows everything: these tests are about what runs, not about permissions. */
const WILLING: Person = {
  allow: async () => ({ answer: "once" }),
  answer: async () => undefined,
  approve: async () => ({ answer: "no", reason: "nobody is there" }),
};

const NAME = { name: "an agent that may die" };

/** Creates a session in a real store and releases it. */
export async function makeCrashSession(place: CrashPlace): Promise<SessionId> {
  const { workspace } = place;
  const deps = { store: storeOf(place, {}), clock: systemClock };
  const session = await createSession(deps, { workspace, system: "You may be cut off." }, NAME);
  await session.close();
  await deps.store.close();
  return session.id;
}

/** Opens the agent on real stores, in the test's process or in one that dies. */
export async function openCrashAgent(
  place: CrashPlace,
  id: SessionId,
  parts: CrashParts = {},
): Promise<CrashAgent> {
  const { home, workspace } = place;
  const { clock = systemClock, around = (same) => same } = parts;
  const environment = { PATH: process.env["PATH"], HOME: home, ...place.environment };
  const { model } = await chooseModel(place.model, {
    settings: { models: {}, providers: {} },
    environment,
    keys: readKeys(home, environment),
  });
  const store = storeOf(place, parts);
  const files = around(filesOn(place, parts));
  const bare: SessionContext = { store, clock, settings: { window: 200_000 } };
  const session = await holdSession({ ...bare, files }, id, NAME);
  const agent = new NativeAgent({
    session,
    resumed: "resumed",
    model,
    person: WILLING,
    rules: { allow: [], ask: [], deny: [] },
    settings: { ...defaultAgentSettings, ...parts.settings },
    clock,
    environment,
    fetch,
    secretVariables: [],
    outputs: join(home, "outputs"),
    keepOutput: async (call, bytes) => {
      const file = join(home, `${call}.txt`);
      writeFileSync(file, bytes, { flag: "a" });
      return file;
    },
    priceOf: () => undefined,
    mode: "auto",
    files,
    openSubSession: async (wanted) => createSession(bare, { ...wanted, workspace, backtrack: "off" }, NAME),
  });
  const close = async (): Promise<void> => {
    await agent.close();
    await files.close();
    await store.close();
  };
  return { agent, session, store, files, close };
}

function storeOf({ store = "files", home }: CrashPlace, parts: CrashParts): LogStore {
  const { disk = realDisk, database = (same) => same } = parts;
  if (store === "files") return openFilesStore({ root: home, clock: systemClock, disk });
  return database(openStore(store, { home }));
}

function filesOn({ home, workspace }: CrashPlace, parts: CrashParts): WorkspaceFiles {
  const { disk = realDisk, workspaceDisk = realWorkspaceDisk } = parts;
  const store = openSnapshotContext({ home, disk, clock: systemClock, processes: realProcesses() });
  return new StoredWorkspaceFiles(
    workspaceContext({
      store,
      folder: workspace,
      disk: workspaceDisk,
      limits: DEFAULT_LIMITS,
      home,
      name: NAME.name,
      waitMs: 30_000,
      threads: "none",
    }),
  );
}
