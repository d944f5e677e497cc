import { rm } from "node:fs/promises";
import { NativeAgent } from "../../agent/agent.ts";
import { costOf } from "../../agent/models/catalogue.ts";
import { DEFAULT_PATIENCE, proxiedFetch } from "../../agent/models/proxy.ts";
import type { Rules } from "../../agent/permissions/rules.ts";
import { systemClock } from "../../disk/system-clock.ts";
import { createSession, type Ground } from "../../machine/open.ts";
import type { Agent } from "../../ports/agent.ts";
import type { Model } from "../../ports/model.ts";
import type { Person } from "../../ports/person.ts";
import { repeatableAddress, type StoreAddress } from "../../stores/store-address.ts";
import type { Frame } from "../command/frame.ts";
import type { Wish } from "../commands/agent/wish.ts";
import { cancelledBefore } from "../heard.ts";
import { noteCaptured } from "../timeline/files/files.ts";
import { tidyStore } from "../timeline/files/tidy-store.ts";
import { type AgentSession, openAgentSession } from "./agent-session.ts";
import { agentSettings } from "./agent-settings.ts";
import type { FinderModel } from "./finder-model.ts";
import { keptOutputs } from "./kept-outputs.ts";
import { type McpHere, openMcp } from "./open-mcp.ts";
import { type OpenedModels, openModel, pricesOf } from "./open-model.ts";

/** What an agent is made of, before it has a session. */
export interface AgentToAssemble {
  readonly wish: Wish;
  readonly person: Person;
  readonly rules: Rules;
  readonly models: OpenedModels;
  /** Told of the session, in case that it is the model, or becomes it. */
  readonly finder: FinderModel;
}

export interface AssembledAgent {
  readonly agent: Agent;
  readonly opened: AgentSession;
  close(): Promise<void>;
}

/**
 * Opens the session and what the agent needs beside it, in the frame of the session's workspace. Whatever goes wrong, or
 * stops it, closes what was opened.
 */
export async function assembleAgent(
  frame: Frame,
  wanted: AgentToAssemble,
  signal: AbortSignal,
): Promise<AssembledAgent> {
  const { wish, models, finder } = wanted;
  const opened = await openAgentSession(frame, { ...wish, window: models.model.window });
  finder.workOn(opened);
  let mcp: McpHere | undefined;
  try {
    // Else nobody would know that what the agent does to files cannot be taken back.
    if (opened.here.state === "unusable") frame.output.warn(frame.strings.files.without(opened.here.why));
    mcp = await openMcp(frame, signal);
    const agent = await nativeAgent(frame, { ...wanted, opened, mcp });
    if (signal.aborted) throw cancelledBefore("nothing was asked of the model");
    const parts = { agent, opened, mcp };
    return { agent, opened, close: async () => closeAll(frame, parts) };
  } catch (error) {
    // What went wrong first is what the person is told.
    await Promise.allSettled([opened.session.close(), mcp?.close()]);
    await Promise.allSettled([opened.here.files?.close()]);
    throw error;
  }
}

interface AgentParts extends AgentToAssemble {
  readonly opened: AgentSession;
  readonly mcp: McpHere;
}

async function nativeAgent(frame: Frame, parts: AgentParts): Promise<NativeAgent> {
  const { opened, mcp, models, rules, wish, person, finder } = parts;
  const { values } = await frame.settings();
  const { model, summariser } = models;
  const { environment } = frame.surroundings;
  return new NativeAgent({
    session: opened.session,
    resumed: opened.resumed,
    common: {
      model: () => model,
      ...(summariser === undefined ? {} : { summariser }),
      person,
      rules,
      settings: agentSettings(values, wish),
      clock: systemClock,
      environment: withoutPassword(environment, frame.common.store),
      secretVariables: Object.values(values.providers).flatMap(({ keyVariable }) => keyVariable ?? []),
      fetch: proxiedFetch(environment, DEFAULT_PATIENCE),
      ...keptOutputs(opened.outputs),
      priceOf: await pricing(frame),
    },
    mode: wish.mode ?? values["permissions.mode"],
    ...(opened.here.files === undefined ? {} : { files: opened.here.files }),
    tools: mcp.tools,
    openModel: async (name): Promise<Model> =>
      (await openModel(frame, { wanted: name, finder: () => finder.model })).model,
    openSubSession: async (task) =>
      createSession(
        withoutFiles(opened.ground),
        { ...task, workspace: opened.session.header.workspace, backtrack: "off" },
        { name: "worldline, a sub-agent" },
      ),
  });
}

/** What the agent runs, and so the model, may read the variables: the database is then named without its password. */
function withoutPassword(environment: NodeJS.ProcessEnv, store: StoreAddress): NodeJS.ProcessEnv {
  if (environment["WORLDLINE_STORE"] === undefined) return environment;
  return { ...environment, WORLDLINE_STORE: repeatableAddress(store).text };
}

async function pricing(
  frame: Frame,
): Promise<ConstructorParameters<typeof NativeAgent>[0]["common"]["priceOf"]> {
  const catalogue = await pricesOf(frame);
  return (model, usage) => costOf(usage, model, catalogue);
}

/** What a sub-agent changes is captured by the session that it works for. */
function withoutFiles({ files: _, ...ground }: Ground): Ground {
  return ground;
}

interface Opened {
  readonly agent: Agent;
  readonly opened: AgentSession;
  readonly mcp: McpHere;
}

/** Each to its end, whatever the others do: nothing may be left behind. */
async function closeAll(frame: Frame, { agent, opened, mcp }: Opened): Promise<void> {
  const { files } = opened.here;
  const ends = await Promise.allSettled([agent.close(), mcp.close()]);
  if (opened.kept === "no") await rm(opened.outputs, { recursive: true, force: true });
  const closed = await Promise.allSettled([files?.close()]);
  if (files !== undefined) {
    noteCaptured(files);
    await tidyStore(frame);
  }
  for (const end of [...ends, ...closed]) if (end.status === "rejected") throw end.reason;
}
