import { recapOf } from "../../machine/queries/recap.ts";
import type { Agent } from "../../ports/agent.ts";
import type { Person } from "../../ports/person.ts";
import type { Recap } from "../../timeline/recap.ts";
import type { AppContext } from "../context.ts";
import { interruptible } from "../context.ts";
import { contextOfRequest } from "../sessions/agent-session.ts";
import type { Settings } from "../settings/table.ts";
import type { AgentRequest } from "./agent-request.ts";
import { readableRules, settleHost } from "./agent-request.ts";
import { reportEngineDoubts } from "./checkpointing.ts";
import type { NativeAnswering } from "./make-agent.ts";
import { assembleAgent } from "./make-agent.ts";
import { openClaude } from "./open-claude.ts";
import { finderModel, openModel } from "./open-model.ts";

export interface OpenedAgent {
  readonly agent: Agent;
  /** The settings of the workspace that the agent works in. */
  readonly settings: Settings;
  /** What is done, what is still open and what comes next in a resumed session. */
  readonly recap?: Recap;
  close(): Promise<void>;
}

/**
 * Opens the session that the request describes, with its agent, in the context of the session's workspace. An interrupt
 * while the agent is being opened closes everything that is already open, and throws CANCELLED.
 */
export async function openAgent(
  bare: AppContext,
  wanted: AgentRequest,
  person: Person,
): Promise<OpenedAgent> {
  const context = await contextOfRequest(bare, wanted);
  const { values } = await context.settings();
  const rules = readableRules(values, wanted);
  const { host, request } = await settleHost(context, wanted);
  const answering =
    host === "claude" ? await openClaude(context, request) : await openNative(context, request.model);
  // An interrupt before this point leaves nothing to close.
  return interruptible(context, async (signal) => {
    const assembled = await assembleAgent(context, { request, person, rules, answering }, signal);
    const { agent, opened, close } = assembled;
    try {
      const recap = opened.resumed === "new" ? undefined : await recapOf(opened.session);
      return { agent, settings: values, ...(recap === undefined ? {} : { recap }), close };
    } catch (error) {
      await Promise.allSettled([close()]);
      throw error;
    }
  });
}

async function openNative(context: AppContext, wanted: string | undefined): Promise<NativeAnswering> {
  const finder = finderModel(context);
  const models = await openModel(context, { wanted, finder: () => finder.model });
  await reportEngineDoubts(context);
  return { host: "native", models, finder };
}
