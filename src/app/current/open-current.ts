import type { TurnGate } from "../../agent/agent.ts";
import type { Rules } from "../../agent/permissions/rules.ts";
import type { Agent } from "../../ports/agent.ts";
import type { PermissionMode, Person } from "../../ports/person.ts";
import type { AgentRequest, HostName } from "../agent/agent-request.ts";
import { readableRules } from "../agent/agent-settings.ts";
import { assembleAgent } from "../agent/assemble-agent.ts";
import { finderModel } from "../agent/finder-model.ts";
import type { Answering, MadeAgent } from "../agent/hosts/answering.ts";
import { reportEngineDoubts } from "../agent/hosts/checkpointing.ts";
import { openClaude } from "../agent/hosts/open-claude.ts";
import { settleHost } from "../agent/hosts/settle-host.ts";
import { type ModelsLookedFor, modelOrNone } from "../agent/models/model-or-none.ts";
import type { ModelState } from "../agent/models/model-types.ts";
import type { AppContext } from "../context.ts";
import { interruptible } from "../interrupts.ts";
import type { AppWords } from "../words.ts";
import type { AutoModeHere } from "./auto-mode.ts";
import { isEmpty, removeEmpty } from "./empty-session.ts";
import type { CurrentSession } from "./session-access.ts";

/** What is here, and how it is left. */
export interface Here extends CurrentSession, Pick<MadeAgent, "models"> {
  readonly wish: AgentRequest;
  readonly rules: Rules;
  /** Whose agent it is. */
  readonly host: HostName;
  /** What answered when it was opened. */
  readonly model: ModelState;
  /** Lets go of everything. A session in which nothing was said or done is then gone. */
  close(): Promise<"kept" | "gone">;
}

export interface OpenCurrentOptions {
  readonly wish: AgentRequest;
  readonly person: Person;
  /** The same for every agent that comes here. */
  readonly gate: TurnGate;
  readonly auto: Pick<AutoModeHere, "check">;
  /** Whose agent was here before: the model that is wished for is one of that host's. Absent: nobody's. */
  readonly before: HostName | undefined;
  readonly words: AppWords;
}

/** Opens what the wish means, in the context of its workspace; with nothing that answers where there is no model. */
export async function openCurrent(context: AppContext, wanted: OpenCurrentOptions): Promise<Here> {
  const { person, gate, auto, before, words } = wanted;
  const { values } = await context.settings();
  const rules = readableRules(values, wanted.wish);
  const { host, wish } = await settleHost(context, wanted.wish, before);
  const asked = before === undefined || before === host ? wish.model : undefined;
  const { answering, lookedFor } = await answeringOf(context, host, { ...wish, model: asked });
  return interruptible(context, async (signal) => {
    const checkMode = (mode: PermissionMode): void => auto.check(mode);
    const wantedAgent = { wish, person, rules, answering, gate, checkMode };
    const assembled = await assembleAgent(context, wantedAgent, signal);
    const { agent, opened, models } = assembled;
    return {
      context,
      words,
      wish,
      rules,
      host,
      opened,
      agent,
      model:
        lookedFor === undefined ? stateOf(agent) : { state: "none", lookedFor: words.lookedFor(lookedFor) },
      ...(models === undefined ? {} : { models }),
      close: async () => {
        const wasEmpty = isEmpty(opened);
        await assembled.close();
        if (opened.kept === "no") return "gone";
        return wasEmpty ? removeEmpty(opened) : "kept";
      },
    };
  });
}

interface AnsweringHere {
  readonly answering: Answering;
  /** Where there is no model: everything that was looked for. */
  readonly lookedFor?: ModelsLookedFor;
}

async function answeringOf(
  context: AppContext,
  host: HostName,
  { model, keepSession }: Pick<AgentRequest, "keepSession"> & { readonly model: string | undefined },
): Promise<AnsweringHere> {
  if (host === "claude") {
    const named = model === undefined ? {} : { model };
    return { answering: await openClaude(context, { ...named, keepSession }) };
  }
  const finder = finderModel(context);
  const { models, ...without } = await modelOrNone(context, model, () => finder.model);
  await reportEngineDoubts(context);
  return { answering: { host, models, finder }, ...without };
}

/** What the agent says of itself to whoever begins to listen. */
function stateOf(agent: Agent): ModelState {
  let window = 0;
  const stop = agent.on((event) => {
    if (event.type === "session") window = event.window;
  });
  stop();
  return { state: "ready", name: agent.model, window };
}
