import { rm } from "node:fs/promises";
import { NativeAgent } from "../../agent/agent.ts";
import { costOf } from "../../agent/models/catalogue.ts";
import { DEFAULT_PATIENCE, proxiedFetch } from "../../agent/models/proxy.ts";
import { requireRule } from "../../agent/permissions/rules.ts";
import { systemClock } from "../../disk/system-clock.ts";
import { createSession, type Ground } from "../../machine/open.ts";
import type { Agent } from "../../ports/agent.ts";
import type { Person } from "../../ports/person.ts";
import type { Frame } from "../command/frame.ts";
import type { Wish } from "../commands/agent/wish.ts";
import { noteCaptured } from "../timeline/files/files.ts";
import { tidyStore } from "../timeline/files/tidy-store.ts";
import { type AgentSession, openAgentSession } from "./agent-session.ts";
import { agentSettings, permissionRules } from "./agent-settings.ts";
import { finderModel } from "./finder-model.ts";
import { keptOutputs } from "./kept-outputs.ts";
import { type McpHere, openMcp } from "./open-mcp.ts";
import { openModel, pricesOf } from "./open-model.ts";
import { recapHere } from "./recap-here.ts";

export interface OpenedAgent {
  readonly agent: Agent;
  /** Of a session that was resumed: done, open, next. */
  readonly recap?: string;
  close(): Promise<void>;
}

/** From what the person wants to an agent at work on its session. */
export async function openAgent(frame: Frame, wish: Wish, person: Person): Promise<OpenedAgent> {
  const { values } = await frame.settings();
  const rules = permissionRules(values, wish);
  // A rule that cannot be read is said before anything is opened.
  for (const rule of [...rules.allow, ...rules.ask, ...rules.deny]) requireRule(rule);
  const finder = finderModel(frame);
  const { model, summariser } = await openModel(frame, { wanted: wish.model, finder: () => finder.model });
  const opened = await openAgentSession(frame, { ...wish, window: model.window });
  finder.workOn(opened);
  // Else nobody would know that what the agent does to files cannot be taken back.
  if (opened.here.state === "unusable") frame.output.warn(frame.strings.files.without(opened.here.why));
  try {
    const mcp = await openMcp(frame, opened.session.header.workspace);
    const agent = new NativeAgent({
      session: opened.session,
      resumed: opened.resumed,
      common: {
        model: () => model,
        ...(summariser === undefined ? {} : { summariser }),
        person,
        rules,
        settings: agentSettings(values, wish),
        clock: systemClock,
        environment: frame.surroundings.environment,
        fetch: proxiedFetch(frame.surroundings.environment, DEFAULT_PATIENCE),
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
    const recap = opened.resumed === "new" ? undefined : await recapHere(frame, opened.session);
    return {
      agent,
      ...(recap === undefined ? {} : { recap }),
      close: async () => closeAll(frame, { agent, opened, mcp }),
    };
  } catch (error) {
    await opened.session.close();
    await opened.here.files?.close();
    throw error;
  }
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
