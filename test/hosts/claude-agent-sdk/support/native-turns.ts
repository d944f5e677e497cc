import { join } from "node:path";
import { onTestFinished } from "vitest";
import { defaultAgentSettings } from "../../../../src/agent/agent-context.ts";
import { readKeys } from "../../../../src/agent/models/access.ts";
import { chooseModel } from "../../../../src/agent/models/choose-model.ts";
import { NativeAgent } from "../../../../src/agent/native-agent.ts";
import { systemClock } from "../../../../src/disk/system-clock.ts";
import { createSession, holdSession } from "../../../../src/machine/open.ts";
import type { Session } from "../../../../src/machine/session.ts";
import { openWorkspaceFiles } from "../../../../src/open-files.ts";
import type { ClaudeStage } from "./claude-stage.ts";

/**
 * Runs turns of our own agent on the stage's session. Closes the stage's agent first; call `again` on the
 * stage afterward.
 */
export async function nativeTurns(
  stage: ClaudeStage,
  turns: (agent: NativeAgent, session: Session) => Promise<void>,
): Promise<void> {
  const { server, workspace, home, session: before } = stage;
  await stage.close();
  const environment = { PATH: process.env["PATH"], HOME: home, ...server.environment("anthropic") };
  const { model } = await chooseModel(server.modelFor("anthropic"), {
    settings: { models: {}, providers: {} },
    environment,
    keys: readKeys(home, environment),
  });
  const files = await openWorkspaceFiles({ workspace, home });
  const { files: _, ...bare } = stage.deps;
  const session = await holdSession({ ...bare, files }, before.id, { name: "a test" });
  const agent = new NativeAgent({
    session,
    resumed: "resumed",
    model,
    person: {
      allow: async () => ({ answer: "no", reason: "nobody is there" }),
      answer: async () => undefined,
      approve: async () => ({ answer: "no", reason: "nobody is there" }),
    },
    rules: { allow: [], ask: [], deny: [] },
    settings: defaultAgentSettings,
    clock: systemClock,
    environment,
    fetch,
    keepOutput: async (call) => join(home, call),
    secretVariables: [],
    outputs: join(home, "outputs"),
    priceOf: () => undefined,
    mode: "auto",
    files,
    openSubSession: async (wanted) =>
      createSession(bare, { ...wanted, workspace, backtrack: "off" }, { name: "a test's sub-agent" }),
  });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await agent.close();
    await files.close();
  };
  onTestFinished(close);
  await turns(agent, session);
  await close();
}
