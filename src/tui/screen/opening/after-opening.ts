import type { RecapTold } from "../../../app/queries/query-types.ts";
import type { Desk } from "../../commands/desk.ts";
import { sayError, sayNotice } from "../../commands/say-error.ts";
import { afterCrashFlow } from "../../travel/after-crash-flow.ts";
import { resumeFlow } from "../../travel/resume-flow.ts";
import { autoFlow } from "../../travel/setup/auto-flow.ts";
import { trustFlow } from "../../travel/setup/small-flows.ts";

export interface Beginning {
  /** What the person said on the command line. */
  readonly firstPrompt?: string;
  /** The person is to choose the session first. */
  readonly pick?: "session";
  /** Where the session stood when it was opened: what begins now is not what was cut. */
  readonly recap: RecapTold | undefined;
}

/** What happens when the session is there, before the person is asked what to do: warnings, trust, where it stands. */
export async function afterOpening(desk: Desk, { firstPrompt, pick, recap }: Beginning): Promise<void> {
  try {
    tellWarnings(desk);
    await trustFlow(desk);
    if (pick === "session") await resumeFlow(desk);
    await autoFlow(desk);
    if (pick !== "session") await tellRecap(desk, recap);
    if (firstPrompt !== undefined) await desk.send(firstPrompt);
  } catch (error) {
    sayError(desk, error);
  }
}

/** What is to be known of what has come here. */
export function tellWarnings(desk: Desk): void {
  for (const notice of desk.station.warnings) sayNotice(desk, notice);
}

/** Every resume opens with where the session stands; a turn that was cut asks how to go on. */
export async function tellRecap(desk: Desk, recap: RecapTold | undefined): Promise<void> {
  if (recap === undefined) return;
  desk.answer({ asked: "", text: recap.text, form: "plain" });
  if (recap.cut !== undefined) await afterCrashFlow(desk, recap.cut);
}
