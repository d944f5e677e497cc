import type { TurnGate } from "../../agent/agent-context.ts";
import type { Rules } from "../../agent/permissions/rules.ts";
import type { HostName } from "../../ports/agent.ts";
import type { PermissionMode, Person } from "../../ports/person.ts";
import { type AppContext, interruptible } from "../context.ts";
import type { Settings } from "../settings/table.ts";
import { type AgentRequest, readableRules, settleHost } from "./agent-request.ts";
import { reportEngineDoubts } from "./checkpointing.ts";
import { type AssembledAgent, assembleAgent, type NativeAnswering } from "./make-agent.ts";
import { openClaude } from "./open-claude.ts";
import { finderModel, type ModelsLookedFor, openRequestedModel } from "./open-model.ts";

export interface StartOptions {
  readonly request: AgentRequest;
  readonly person: Person;
  /**
   * The host of the previous session, if there was one. A new session gets the same host, and a requested model is used
   * only if the host stays the same.
   */
  readonly before?: HostName | undefined;
  /** The gate that all of a front end's agents share. By default, each agent gets its own gate. */
  readonly gate?: TurnGate;
  /** Throws if the user is not allowed to enter the mode now. */
  readonly checkMode?: (mode: PermissionMode) => void;
}

/** An agent that holds its session until it is closed. */
export interface StartedAgent extends AssembledAgent {
  readonly host: HostName;
  /** The request, but with the session's id if the original request identified the session in another way. */
  readonly request: AgentRequest;
  readonly rules: Rules;
  /** The settings of the workspace that the agent works in. */
  readonly settings: Settings;
  /** The places that were searched for a model; present if there is no model. */
  readonly lookedFor?: ModelsLookedFor | undefined;
}

/**
 * Opens the session that the request describes, with its agent. The context must be the context of the session's
 * workspace; see `contextOfRequest`. If an interrupt arrives while the agent is being opened, closes everything that
 * has been opened, and throws CANCELLED.
 */
export async function startAgent(
  context: AppContext,
  { before, ...options }: StartOptions,
): Promise<StartedAgent> {
  const { values: settings } = await context.settings();
  const rules = readableRules(settings, options.request);
  const { host, request } = await settleHost(context, options.request, before);
  const model = before === undefined || before === host ? request.model : undefined;
  const { keepSession, withoutModel } = request;
  const answering =
    host === "claude"
      ? await openClaude(context, { model, keepSession })
      : await openNative(context, { model, withoutModel });
  // An interrupt before this point leaves nothing to close.
  return interruptible(context, async (signal) => {
    const assembled = await assembleAgent(context, { ...options, request, rules, answering }, signal);
    const lookedFor = answering.host === "native" ? answering.lookedFor : undefined;
    return { ...assembled, host, request, rules, settings, lookedFor };
  });
}

async function openNative(
  context: AppContext,
  request: Pick<AgentRequest, "model" | "withoutModel">,
): Promise<NativeAnswering> {
  const finder = finderModel(context);
  const opened = await openRequestedModel(context, request, () => finder.model);
  await reportEngineDoubts(context);
  return { host: "native", finder, ...opened };
}
