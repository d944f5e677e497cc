import { join } from "node:path";
import { defaultAgentSettings } from "../../../src/agent/agent-context.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { realDisk } from "../../../src/disk/disk.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { ClaudeAgent } from "../../../src/hosts/claude-agent-sdk/claude-agent.ts";
import { loadClaudeSdk } from "../../../src/hosts/claude-agent-sdk/sdk/load-sdk.ts";
import { createSession, holdSession, type SessionContext } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import { openWorkspaceFiles } from "../../../src/open-files.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import type { Person } from "../../../src/ports/person.ts";
import type { WorkspaceFiles } from "../../../src/ports/workspace-files.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";

/** Where a story takes place. It must survive JSON, because it is passed to a child process. */
export interface ClaudeCrashPlace {
  /** The folder of the real SDK. */
  readonly sdk: string;
  readonly home: string;
  readonly workspace: string;
  /** The complete environment of the SDK's processes. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface CrashClaude {
  readonly agent: ClaudeAgent;
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

const NAME = { name: "an agent of Claude's that may die" };

/** Creates a session and releases it. */
export async function makeClaudeSession({ home, workspace }: ClaudeCrashPlace): Promise<SessionId> {
  const store = openFilesStore({ root: home, clock: systemClock });
  const wanted = { workspace, system: "You may be cut off.", backtrack: "on" } as const;
  const session = await createSession({ store, clock: systemClock }, wanted, NAME);
  await session.close();
  await store.close();
  return session.id;
}

/**
 * Opens the real agent of the real SDK, in the test's process or in one that dies. `disk` is the disk below
 * the log.
 */
export async function openCrashClaude(
  place: ClaudeCrashPlace,
  id: SessionId,
  disk: Disk = realDisk,
): Promise<CrashClaude> {
  const { home, workspace, environment: env } = place;
  const store = openFilesStore({ root: home, clock: systemClock, disk });
  const files = await openWorkspaceFiles({ workspace, home });
  const bare: SessionContext = { store, clock: systemClock, settings: { window: 200_000 } };
  const session = await holdSession({ ...bare, files }, id, NAME);
  const agent = new ClaudeAgent({
    sdk: await loadClaudeSdk({ folder: place.sdk }),
    start: { env, settingSources: [], checkpoints: "off" },
    session,
    resumed: "resumed",
    mode: "auto",
    person: WILLING,
    rules: { allow: [], ask: [], deny: [] },
    settings: defaultAgentSettings,
    clock: systemClock,
    files,
    environment: env,
    secretVariables: [],
    keepOutput: async (call) => join(home, call),
    outputs: join(home, "outputs"),
    openSubSession: async (wanted) => createSession(bare, { ...wanted, workspace, backtrack: "off" }, NAME),
  });
  const close = async (): Promise<void> => {
    await agent.close();
    await files.close();
    await store.close();
  };
  return { agent, session, store, files, close };
}
