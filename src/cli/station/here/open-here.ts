import type { Rules } from "../../../agent/permissions/rules.ts";
import type { Model } from "../../../ports/model.ts";
import type { Person } from "../../../ports/person.ts";
import type { ModelState } from "../../../ports/station/models.ts";
import { readableRules } from "../../agent/agent-settings.ts";
import { assembleAgent } from "../../agent/assemble-agent.ts";
import { finderModel } from "../../agent/finder-model.ts";
import type { Frame } from "../../command/frame.ts";
import type { Wish } from "../../commands/agent/wish.ts";
import { interruptible } from "../../heard.ts";
import { modelOrNone } from "../models/model-or-none.ts";
import type { StationHere } from "../station-parts.ts";
import { isEmpty, removeEmpty } from "./empty-session.ts";
import { GuardedAgent } from "./guarded-agent.ts";
import type { Turns } from "./turns.ts";

/** What is here, and how it is left. */
export interface Here extends StationHere {
  readonly wish: Wish;
  readonly rules: Rules;
  /** What answered when it was opened. */
  readonly model: ModelState;
  /** Lets go of everything. A session in which nothing was said or done is then gone. */
  close(): Promise<"kept" | "gone">;
}

export interface HereWish {
  readonly wish: Wish;
  readonly person: Person;
  readonly turns: Turns;
}

/** Opens what the wish means, in the frame of its workspace; with nothing that answers where there is no model. */
export async function openHere(frame: Frame, { wish, person, turns }: HereWish): Promise<Here> {
  const { values } = await frame.settings();
  const rules = readableRules(values, wish);
  const finder = finderModel(frame);
  const { models, lookedFor } = await modelOrNone(frame, wish.model, () => finder.model);
  return interruptible(frame, async (signal) => {
    const assembled = await assembleAgent(frame, { wish, person, rules, models, finder }, signal);
    const { opened } = assembled;
    return {
      frame,
      wish,
      rules,
      opened,
      agent: new GuardedAgent(assembled.agent, turns),
      model: stateOf(models.model, lookedFor),
      close: async () => {
        const wasEmpty = isEmpty(opened);
        await assembled.close();
        if (opened.kept === "no") return "gone";
        return wasEmpty ? removeEmpty(opened) : "kept";
      },
    };
  });
}

function stateOf({ name, window }: Model, lookedFor: readonly string[] | undefined): ModelState {
  return lookedFor === undefined ? { state: "ready", name, window } : { state: "none", lookedFor };
}
