import type { App } from "../../../app/app-types.ts";
import type { Person, PlanAnswer } from "../../../ports/person.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Desk } from "../../commands/desk.ts";
import { askPermission } from "../../dialogs/asked/permission.ts";
import { askPlan } from "../../dialogs/asked/plan.ts";
import { askQuestions } from "../../dialogs/asked/questions.ts";
import { confirmAuto } from "../../travel/setup/auto-flow.ts";
import type { OpenDialogs } from "../open-dialogs.ts";
import { drawChange, drawers } from "./drawers.ts";

export interface PersonParts {
  readonly dialogs: Pick<OpenDialogs, "ask">;
  readonly strings: () => Strings;
  readonly station: () => App;
}

/** The person, asked by dialogs; one that is void leaves the screen by itself. */
export function personAtScreen({ dialogs, strings, station }: PersonParts): Person {
  const asking = (signal: AbortSignal): Pick<Desk, "ask" | "strings"> => ({
    ask: async (dialog) => dialogs.ask(dialog, signal),
    strings: strings(),
  });
  /** A plan whose work was to run in auto mode is asked about again where that is not confirmed. */
  const approve = async (plan: string, signal: AbortSignal): Promise<PlanAnswer> => {
    for (;;) {
      const desk = asking(signal);
      const answer = await askPlan(desk, plan, drawers.markdown);
      if (answer.answer !== "approved" || answer.mode !== "auto") return answer;
      if (await confirmAuto({ ...desk, station: station() })) return answer;
    }
  };
  return {
    allow: async (request, signal) => askPermission(asking(signal), request, drawChange),
    answer: async (questions, signal) => askQuestions(asking(signal), questions),
    approve,
  };
}
