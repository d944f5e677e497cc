import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type AgentSettings, defaultAgentSettings, type TurnGate } from "../../../src/agent/agent-context.ts";
import { readKeys } from "../../../src/agent/models/access.ts";
import { chooseModel } from "../../../src/agent/models/choose-model.ts";
import { NativeAgent } from "../../../src/agent/native-agent.ts";
import type { Rules } from "../../../src/agent/permissions/rules.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { createSession, holdSession, type SessionContext } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import type { SessionSettings } from "../../../src/machine/settings.ts";
import { openWorkspaceFiles } from "../../../src/open-files.ts";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import type { Model } from "../../../src/ports/model.ts";
import type { PermissionMode, Person } from "../../../src/ports/person.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { type ModelServer, openModelServer } from "../../../src/testing/model-server/model-server.ts";
import type { Responder, Wire } from "../../../src/testing/model-server/script.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";

export interface StageOptions {
  readonly responder: Responder;
  readonly wire?: Wire;
  readonly mode?: PermissionMode;
  readonly rules?: Partial<Rules>;
  readonly settings?: Partial<AgentSettings>;
  readonly session?: Partial<SessionSettings>;
  readonly person?: Partial<Person>;
  readonly window?: number;
  readonly files?: "on" | "off";
  readonly backtrack?: "on" | "off";
  readonly openModel?: (name: string) => Promise<Model>;
  readonly gate?: TurnGate;
}

/** A real agent on a real session with real files and tools; only the model behind HTTP is scripted. */
export interface Stage {
  readonly agent: NativeAgent;
  readonly session: Session;
  readonly server: ModelServer;
  readonly workspace: string;
  readonly events: readonly AgentEvent[];
  write(path: string, text: string): void;
  read(path: string): string;
  /** Closes this agent and opens another one on the same session. */
  again(): Promise<Stage>;
}

const NOBODY: Person = {
  allow: async () => ({ answer: "no", reason: "nobody is there" }),
  answer: async () => undefined,
  approve: async () => ({ answer: "no", reason: "nobody is there" }),
};

export async function stage(request: StageOptions): Promise<Stage> {
  const root = tempFolder();
  onTestFinished(root.remove);
  const server = await openModelServer(
    request.responder,
    request.window === undefined ? {} : { window: request.window },
  );
  onTestFinished(async () => server.close());
  const workspace = join(root.path, "workspace");
  mkdirSync(workspace);
  return open({ request, server, home: join(root.path, "home"), workspace });
}

interface Place {
  readonly request: StageOptions;
  readonly server: ModelServer;
  readonly home: string;
  readonly workspace: string;
}

async function open(place: Place, resumed?: SessionId): Promise<Stage> {
  const { request, server, home, workspace } = place;
  const wire = request.wire ?? "anthropic";
  const environment = { PATH: process.env["PATH"], HOME: home, ...server.environment(wire) };
  const { model } = await chooseModel(server.modelFor(wire), {
    settings: { models: {}, providers: {} },
    environment,
    keys: readKeys(home, environment),
  });
  const window = request.window ?? 200_000;
  const files = request.files === "off" ? undefined : await openWorkspaceFiles({ workspace, home });
  const deps: SessionContext = {
    store: openFilesStore({ root: home, clock: systemClock }),
    clock: systemClock,
    settings: { window, ...request.session },
    ...(files === undefined ? {} : { files }),
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
  const agent = new NativeAgent({
    session,
    resumed: resumed === undefined ? "new" : "resumed",
    model: { name: model.name, window, stream: (request) => model.stream(request) },
    person: { ...NOBODY, ...request.person },
    rules: { allow: [], ask: [], deny: [], ...request.rules },
    settings: { ...defaultAgentSettings, ...request.settings },
    clock: systemClock,
    environment,
    fetch,
    keepOutput: async (call, bytes) => {
      mkdirSync(join(home, "outputs"), { recursive: true });
      const file = join(home, "outputs", `${call}.txt`);
      writeFileSync(file, bytes, { flag: "a" });
      return file;
    },
    secretVariables: [],
    outputs: join(home, "outputs"),
    priceOf: () => undefined,
    openModel: request.openModel,
    gate: request.gate,
    mode: request.mode ?? "auto",
    files,
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
    await files?.close();
  };
  onTestFinished(close);
  return {
    agent,
    session,
    server,
    workspace,
    events,
    write: (path, text) => {
      const file = join(workspace, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    read: (path) => readFileSync(join(workspace, path), "utf8"),
    again: async () => {
      await close();
      return open(place, session.id);
    },
  };
}
