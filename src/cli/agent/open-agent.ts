import { rm } from "node:fs/promises";
import { NativeAgent } from "../../agent/agent.ts";
import { costOf } from "../../agent/models/catalogue.ts";
import { DEFAULT_PATIENCE, proxiedFetch } from "../../agent/models/proxy.ts";
import { type Rules, requireRule } from "../../agent/permissions/rules.ts";
import { systemClock } from "../../disk/system-clock.ts";
import { createSession, type Ground } from "../../machine/open.ts";
import type { Agent } from "../../ports/agent.ts";
import type { Person } from "../../ports/person.ts";
import type { Frame } from "../command/frame.ts";
import type { Wish } from "../commands/agent/wish.ts";
import { cancelledBefore, interruptible } from "../heard.ts";
import type { Settings } from "../settings/table.ts";
import { noteCaptured } from "../timeline/files/files.ts";
import { tidyStore } from "../timeline/files/tidy-store.ts";
import { type AgentSession, openAgentSession } from "./agent-session.ts";
import { agentSettings, permissionRules } from "./agent-settings.ts";
import { finderModel } from "./finder-model.ts";
import { frameOfWish } from "./frame-of-wish.ts";
import { keptOutputs } from "./kept-outputs.ts";
import { type McpHere, openMcp } from "./open-mcp.ts";
import { type OpenedModels, openModel, pricesOf } from "./open-model.ts";
import { recapHere } from "./recap-here.ts";

export interface OpenedAgent {
  readonly agent: Agent;
  /** Those that count where it works. */
  readonly settings: Settings;
  /** Of a session that was resumed: done, open, next. */
  readonly recap?: string;
  close(): Promise<void>;
}

/**
 * From what the person wants to an agent at work on its session, in the frame of that session's workspace. An interrupt
 * while it is put together closes what was opened, and ends with CANCELLED.
 */
export async function openAgent(bare: Frame, wish: Wish, person: Person): Promise<OpenedAgent> {
  const frame = await frameOfWish(bare, wish);
  const { values } = await frame.settings();
  const rules = permissionRules(values, wish);
  // A rule that cannot be read is said before anything is opened.
  for (const rule of [...rules.allow, ...rules.ask, ...rules.deny]) requireRule(rule);
  const finder = finderModel(frame);
  const models = await openModel(frame, { wanted: wish.model, finder: () => finder.model });
  // Until here there is nothing to put in order.
  return interruptible(frame, async (signal) => {
    const opened = await openAgentSession(frame, { ...wish, window: models.model.window });
    finder.workOn(opened);
    let mcp: McpHere | undefined;
    try {
      // Else nobody would know that what the agent does to files cannot be taken back.
      if (opened.here.state === "unusable") frame.output.warn(frame.strings.files.without(opened.here.why));
      mcp = await openMcp(frame, signal);
      const agent = await nativeAgent(frame, { opened, mcp, models, rules, values, wish, person });
      const recap = opened.resumed === "new" ? undefined : await recapHere(frame, opened.session);
      if (signal.aborted) throw cancelledBefore("nothing was asked of the model");
      const parts = { agent, opened, mcp };
      return {
        agent,
        settings: values,
        ...(recap === undefined ? {} : { recap }),
        close: async () => closeAll(frame, parts),
      };
    } catch (error) {
      // What went wrong first is what the person is told.
      await Promise.allSettled([opened.session.close(), mcp?.close()]);
      await Promise.allSettled([opened.here.files?.close()]);
      throw error;
    }
  });
}

interface AgentParts {
  readonly opened: AgentSession;
  readonly mcp: McpHere;
  readonly models: OpenedModels;
  readonly rules: Rules;
  readonly values: Settings;
  readonly wish: Wish;
  readonly person: Person;
}

async function nativeAgent(frame: Frame, parts: AgentParts): Promise<NativeAgent> {
  const { opened, mcp, models, rules, values, wish, person } = parts;
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
      environment,
      secretVariables: Object.values(values.providers).flatMap(({ keyVariable }) => keyVariable ?? []),
      fetch: proxiedFetch(environment, DEFAULT_PATIENCE),
      ...keptOutputs(opened.outputs),
      priceOf: await pricing(frame),
    },
    mode: wish.mode ?? values["permissions.mode"],
    ...(opened.here.files === undefined ? {} : { files: opened.here.files }),
    tools: mcp.tools,
    openSubSession: async (wanted) =>
      createSession(
        withoutFiles(opened.ground),
        { ...wanted, workspace: opened.session.header.workspace, backtrack: "off" },
        { name: "worldline, a sub-agent" },
      ),
  });
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
