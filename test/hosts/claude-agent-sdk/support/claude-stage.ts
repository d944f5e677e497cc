import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type AgentSettings,
  defaultAgentSettings,
  type TurnGate,
} from "../../../../src/agent/agent-context.ts";
import type { Rules } from "../../../../src/agent/permissions/rules.ts";
import type { Disk } from "../../../../src/disk/disk.ts";
import { realDisk } from "../../../../src/disk/disk.ts";
import { systemClock } from "../../../../src/disk/system-clock.ts";
import { ClaudeAgent } from "../../../../src/hosts/claude-agent-sdk/claude-agent.ts";
import { knownModel } from "../../../../src/hosts/claude-agent-sdk/models.ts";
import type { ClaudeSdk } from "../../../../src/hosts/claude-agent-sdk/sdk/sdk-types.ts";
import { createSession, holdSession, type SessionContext } from "../../../../src/machine/open.ts";
import type { Session } from "../../../../src/machine/session.ts";
import type { SessionSettings } from "../../../../src/machine/settings.ts";
import { openWorkspaceFiles } from "../../../../src/open-files.ts";
import type { AgentEvent } from "../../../../src/ports/agent-events.ts";
import type { Clock } from "../../../../src/ports/clock.ts";
import type { PermissionMode, Person } from "../../../../src/ports/person.ts";
import type { SessionId } from "../../../../src/record/ids.ts";
import { openFilesStore } from "../../../../src/stores/files/files.ts";
import { type ModelServer, openModelServer } from "../../../../src/testing/model-server/model-server.ts";
import type { Responder } from "../../../../src/testing/model-server/script.ts";
import { type ClaudePlace, claudePlace } from "../../../support/claude/claude-place.ts";
import { realClaudeSdk } from "../../../support/claude/describe-with-claude.ts";

export interface ClaudeStageOptions {
  readonly responder: Responder;
  readonly mode?: PermissionMode;
  readonly rules?: Partial<Rules>;
  readonly settings?: Partial<AgentSettings>;
  readonly session?: Partial<SessionSettings>;
  readonly person?: Partial<Person>;
  readonly backtrack?: "on" | "off";
  readonly gate?: TurnGate | undefined;
  readonly checkpoints?: "on" | "off";
  /** The disk of our own store. */
  readonly disk?: Disk;
  readonly clock?: Clock;
  /** Added to the environment that every test's process has. */
  readonly env?: Readonly<Record<string, string>>;
  /** Wraps the real SDK before the agent gets it. */
  readonly between?: (sdk: ClaudeSdk) => ClaudeSdk;
}

/**
 * The real agent of the SDK, with its real process, on a real session with real files; only the model behind
 * HTTP is scripted.
 */
export interface ClaudeStage {
  readonly agent: ClaudeAgent;
  readonly session: Session;
  readonly server: ModelServer;
  readonly workspace: string;
  /** Where our store keeps its sessions. */
  readonly home: string;
  /** CLAUDE_CONFIG_DIR, which identifies the SDK's processes. */
  readonly config: string;
  readonly events: readonly AgentEvent[];
  write(path: string, text: string): void;
  read(path: string): string;
  /** The store and settings of its sessions. */
  readonly deps: SessionContext;
  close(): Promise<void>;
  /** Closes the agent and opens another one on the same session, or on another existing one. */
  again(other?: SessionId): Promise<ClaudeStage>;
}

const NOBODY: Person = {
  allow: async () => ({ answer: "no", reason: "nobody is there" }),
  answer: async () => undefined,
  approve: async () => ({ answer: "no", reason: "nobody is there" }),
};

export async function claudeStage(request: ClaudeStageOptions): Promise<ClaudeStage> {
  const place = claudePlace();
  const server = await openModelServer(request.responder);
  onTestFinished(async () => server.close());
  return open({ request, server, place });
}

interface Place {
  readonly request: ClaudeStageOptions;
  readonly server: ModelServer;
  readonly place: ClaudePlace;
}

async function open(staged: Place, resumed?: SessionId): Promise<ClaudeStage> {
  const { request, server } = staged;
  const { workspace, folder } = staged.place;
  const home = join(folder, "worldline");
  const files = await openWorkspaceFiles({ workspace, home });
  const deps: SessionContext = {
    store: openFilesStore({ root: home, clock: systemClock, disk: request.disk ?? realDisk }),
    clock: request.clock ?? systemClock,
    settings: { window: 200_000, ...request.session },
    files,
  };
  const session =
    resumed === undefined
      ? await createSession(
          deps,
          { workspace, system: "You are on a stage.", backtrack: request.backtrack ?? "on" },
          { name: "a test" },
        )
      : await holdSession(deps, resumed, { name: "a test" });
  const { files: _, ...bare } = deps;
  const env = { ...staged.place.environment(server), ...request.env };
  const real = await realClaudeSdk();
  const sdk = request.between?.(real) ?? real;
  const known = await knownModel(session);
  const agent = new ClaudeAgent({
    sdk,
    start: { env, settingSources: [], checkpoints: request.checkpoints ?? "off" },
    session,
    ...(known === undefined ? {} : { known }),
    resumed: resumed === undefined ? "new" : "resumed",
    gate: request.gate,
    mode: request.mode ?? "auto",
    person: { ...NOBODY, ...request.person },
    rules: { allow: [], ask: [], deny: [], ...request.rules },
    settings: { ...defaultAgentSettings, ...request.settings },
    clock: systemClock,
    files,
    environment: env,
    secretVariables: [],
    keepOutput: async (call) => join(home, call),
    outputs: join(home, "outputs"),
    openSubSession: async (wanted) =>
      createSession(bare, { ...wanted, workspace, backtrack: "off" }, { name: "a test's sub-agent" }),
  });
  const events: AgentEvent[] = [];
  agent.on((event) => events.push(event));
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await agent.close();
    await files.close();
  };
  onTestFinished(close);
  return {
    agent,
    session,
    server,
    workspace,
    home,
    config: staged.place.config,
    events,
    write: (path, text) => {
      const file = join(workspace, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    read: (path) => readFileSync(join(workspace, path), "utf8"),
    deps,
    close,
    again: async (other = session.id) => {
      await close();
      return open(staged, other);
    },
  };
}
