import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { NativeAgent } from "../../../src/agent/native-agent.ts";
import type { Session } from "../../../src/machine/session.ts";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import type { WorkspaceFiles } from "../../../src/ports/workspace-files.ts";
import { type ModelServer, openModelServer } from "../../../src/testing/model-server/model-server.ts";
import type { Responder } from "../../../src/testing/model-server/script.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";
import { type CrashParts, makeCrashSession, openCrashAgent } from "../../crash/agent/crash-agent.ts";

/** A real agent whose disk, clock or files behave as the test needs. */
export interface Rehearsal {
  readonly agent: NativeAgent;
  readonly session: Session;
  readonly files: WorkspaceFiles;
  readonly server: ModelServer;
  readonly events: readonly AgentEvent[];
  write(path: string, text: string): void;
  read(path: string): string | undefined;
  /** Closes this agent and opens another one on the same session, optionally with different parts. */
  again(other?: CrashParts): Promise<Rehearsal>;
}

export async function rehearse(responder: Responder, parts: CrashParts = {}): Promise<Rehearsal> {
  const folder = tempFolder();
  onTestFinished(folder.remove);
  const server = await openModelServer(responder);
  onTestFinished(async () => server.close());
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const place = {
    home: join(folder.path, "home"),
    workspace,
    model: server.modelFor("anthropic"),
    environment: server.environment("anthropic"),
  };
  const id = await makeCrashSession(place);
  const open = async (given: CrashParts): Promise<Rehearsal> => {
    const { agent, session, files, close } = await openCrashAgent(place, id, given);
    const events: AgentEvent[] = [];
    agent.on((event) => events.push(event));
    let closed: Promise<void> | undefined;
    const closeOnce = async (): Promise<void> => {
      closed ??= close();
      await closed;
    };
    onTestFinished(closeOnce);
    return {
      agent,
      session,
      files,
      server,
      events,
      write: (path, text) => writeFileSync(join(workspace, path), text),
      read: (path) => textOf(join(workspace, path)),
      again: async (other = {}) => {
        await closeOnce();
        return open(other);
      },
    };
  };
  return open(parts);
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
