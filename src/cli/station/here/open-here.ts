import type { Rules } from "../../../agent/permissions/rules.ts";
import type { TurnGate } from "../../../agent/turn-gate.ts";
import type { Agent } from "../../../ports/agent.ts";
import type { PermissionMode, Person } from "../../../ports/person.ts";
import type { ModelState } from "../../../ports/station/models.ts";
import { readableRules } from "../../agent/agent-settings.ts";
import { assembleAgent } from "../../agent/assemble-agent.ts";
import { finderModel } from "../../agent/finder-model.ts";
import type { Answering, MadeAgent } from "../../agent/hosts/answering.ts";
import { openClaude } from "../../agent/hosts/open-claude.ts";
import { settleHost } from "../../agent/hosts/settle-host.ts";
import { warnOfEngine } from "../../agent/hosts/warn-of-checkpointing.ts";
import type { Frame } from "../../command/frame.ts";
import type { HostName, Wish } from "../../commands/agent/wish.ts";
import { interruptible } from "../../heard.ts";
import { modelOrNone } from "../models/model-or-none.ts";
import type { StationHere } from "../station-parts.ts";
import type { AutoModeHere } from "./auto-mode.ts";
import { isEmpty, removeEmpty } from "./empty-session.ts";

/** What is here, and how it is left. */
export interface Here extends StationHere, Pick<MadeAgent, "models"> {
  readonly wish: Wish;
  readonly rules: Rules;
  /** Whose agent it is. */
  readonly host: HostName;
  /** What answered when it was opened. */
  readonly model: ModelState;
  /** Lets go of everything. A session in which nothing was said or done is then gone. */
  close(): Promise<"kept" | "gone">;
}

export interface HereWish {
  readonly wish: Wish;
  readonly person: Person;
  /** The same for every agent that comes here. */
  readonly gate: TurnGate;
  readonly auto: Pick<AutoModeHere, "check">;
  /** Whose agent was here before: the model that is wished for is one of that host's. Absent: nobody's. */
  readonly before: HostName | undefined;
}

/** Opens what the wish means, in the frame of its workspace; with nothing that answers where there is no model. */
export async function openHere(frame: Frame, wanted: HereWish): Promise<Here> {
  const { person, gate, auto, before } = wanted;
  const { values } = await frame.settings();
  const rules = readableRules(values, wanted.wish);
  const { host, wish } = await settleHost(frame, wanted.wish, before);
  const asked = before === undefined || before === host ? wish.model : undefined;
  const { answering, lookedFor } = await answeringOf(frame, host, { ...wish, model: asked });
  return interruptible(frame, async (signal) => {
    const checkMode = (mode: PermissionMode): void => auto.check(mode);
    const wantedAgent = { wish, person, rules, answering, gate, checkMode };
    const assembled = await assembleAgent(frame, wantedAgent, signal);
    const { agent, opened, models } = assembled;
    return {
      frame,
      wish,
      rules,
      host,
      opened,
      agent,
      model: lookedFor === undefined ? stateOf(agent) : { state: "none", lookedFor },
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
  readonly lookedFor?: readonly string[];
}

async function answeringOf(
  frame: Frame,
  host: HostName,
  { model, keepSession }: Pick<Wish, "keepSession"> & { readonly model: string | undefined },
): Promise<AnsweringHere> {
  if (host === "claude") {
    const named = model === undefined ? {} : { model };
    return { answering: await openClaude(frame, { ...named, keepSession }) };
  }
  const finder = finderModel(frame);
  const { models, ...without } = await modelOrNone(frame, model, () => finder.model);
  await warnOfEngine(frame);
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
