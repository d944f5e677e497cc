import type { CutTurn } from "../../app/queries/query-types.ts";
import type { Desk } from "../commands/desk.ts";
import { type AfterCrashAnswer, afterCrash } from "../dialogs/choices/after-crash.ts";
import { makeJourney } from "./make-journey.ts";
import { sayingErrors } from "./saying-errors.ts";

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
