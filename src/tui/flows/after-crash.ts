import type { ModelState } from "../../app/agent/models.ts";
import type { CutTurn } from "../../app/queries/query-types.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import { type MenuRow, type MenuState, menu } from "../dialogs/dialog.ts";
import { type Desk, sayingErrors } from "./command-context.ts";
import { makeJourney } from "./rewind.ts";

/** What was open when the turn was cut, and what the person wants done about it. */
export async function afterCrashFlow(desk: Desk, cut: CutTurn): Promise<void> {
  await sayingErrors(desk, async () => {
    let answer: AfterCrashAnswer | undefined;
    do {
      answer = await desk.ask(afterCrash(desk.strings, cut, desk.station.model.state));
    } while (answer === "rewind-files" && (await rewindFiles(desk, cut)) === "back");
    if (answer === "continue" || answer === "retry") await desk.goOn(answer);
    // What was decided is not asked again when the session is opened next.
    else if (answer !== undefined) await desk.station.journeys.leaveCut();
  });
}

async function rewindFiles(desk: Desk, { before: number }: CutTurn): Promise<"made" | "back"> {
  if (number === undefined) return "back";
  const { journeys, agent } = desk.station;
  const place = { session: agent.session, number, scope: "files" as const };
  return makeJourney(desk, {
    kind: "rewind",
    preview: (choice, progress) => journeys.preview({ ...place, ...choice }, progress),
    make: (choice, progress) => journeys.rewind({ ...place, ...choice }, progress),
  });
}

type AfterCrashAnswer = "continue" | "retry" | "rewind-files" | "leave";

/** What a turn that was cut left open, and what can be done about it. Only a model can go on with it. */
export function afterCrash(
  strings: Strings,
  cut: CutTurn,
  model: ModelState["state"],
): Dialog<MenuState, AfterCrashAnswer> {
  const { crash, keys } = strings.terminal.dialogs;
  const calls = cut.calls.map(({ name, about }) => crash.call(name, about));
  const files: MenuRow<AfterCrashAnswer>[] =
    cut.before === undefined
      ? []
      : [
          {
            text: crash.rewindFiles(cut.before),
            description: crash.rewindFilesMeans,
            answer: "rewind-files",
          },
        ];
  const goingOn: MenuRow<AfterCrashAnswer>[] = [
    { text: crash.continue, description: crash.continueMeans, answer: "continue" },
    { text: crash.retry, description: crash.retryMeans, answer: "retry" },
  ];
  return menu({
    title: crash.title(cut.step),
    about: calls.length === 0 ? [crash.noCalls] : [crash.calls, ...calls],
    rows: [
      ...(model === "ready" ? goingOn : []),
      ...files,
      { text: crash.leave, description: crash.leaveMeans, answer: "leave" },
    ],
    keys: keys.menu,
  });
}
