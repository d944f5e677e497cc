import type { Person } from "../../../ports/person.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Desk } from "../../commands/desk.ts";
import { askPermission } from "../../dialogs/asked/permission.ts";
import { askPlan } from "../../dialogs/asked/plan.ts";
import { askQuestions } from "../../dialogs/asked/questions.ts";
import type { OpenDialogs } from "../open-dialogs.ts";
import { drawChange, drawers } from "./drawers.ts";

/** The person, asked by dialogs; one that is void leaves the screen by itself. */
export function personAtScreen(dialogs: OpenDialogs, strings: () => Strings): Person {
  const asking = (signal: AbortSignal): Pick<Desk, "ask" | "strings"> => ({
    ask: async (dialog) => dialogs.ask(dialog, signal),
    strings: strings(),
  });
  return {
    allow: async (request, signal) => askPermission(asking(signal), request, drawChange),
    answer: async (questions, signal) => askQuestions(asking(signal), questions),
    approve: async (plan, signal) => askPlan(asking(signal), plan, drawers.markdown),
  };
}
