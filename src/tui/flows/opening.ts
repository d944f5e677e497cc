import type { ResumedRecap } from "../../app/queries/query-types.ts";
import { isWorldlineError } from "../../record/error.ts";
import { recapText } from "../../show/recap-text.ts";
import { confirm } from "../dialogs/menu.ts";
import { textQuestion } from "../dialogs/text-field.ts";
import { FIRST_STEPS } from "../view/first-screen.ts";
import { afterCrashFlow } from "./after-crash.ts";
import { type Desk, sayError, sayingErrors, sayNotice, type Waiting } from "./command-context.ts";
import { connectFlow } from "./connect.ts";
import { resumeFlow } from "./sessions.ts";
import { trustFlow } from "./settings.ts";

interface Beginning {
  /** What the person said on the command line. */
  readonly firstPrompt?: string;
  /** The person is to choose the session first. */
  readonly pick?: "session";
  /** Where the session stood when it was opened: what begins now is not what was cut. */
  readonly recap: ResumedRecap | undefined;
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
export async function tellRecap(desk: Desk, recap: ResumedRecap | undefined): Promise<void> {
  if (recap === undefined) return;
  desk.answer({ asked: "", text: recapText(recap.recap, desk.strings), form: "plain" });
  if (recap.cut !== undefined) await afterCrashFlow(desk, recap.cut);
}

/** Whether auto mode may begin: the user is asked once in each session, in words that say what then runs unasked. */
export async function confirmAuto(desk: Pick<Desk, "station" | "strings" | "ask">): Promise<boolean> {
  const { station, strings } = desk;
  if (station.auto.isConfirmed) return true;
  const { title, about, yes, no } = strings.terminal.dialogs.auto;
  const answer = await desk.ask(confirm(strings, { question: title, about, yes, no }));
  if (answer === "yes") station.auto.confirm();
  return answer === "yes";
}

/** Asks where settings, or the session before, want auto mode. Until the user says yes the mode is manual. */
export async function autoFlow(desk: Desk): Promise<void> {
  await sayingErrors(desk, async () => {
    const { station } = desk;
    if (!station.auto.takeRequest()) return;
    if (await confirmAuto(desk)) station.agent.setMode("auto");
    const { modeNow, status } = desk.strings.terminal.screen;
    desk.say({ tone: "quiet", line: modeNow(status.modes[station.agent.mode]) });
  });
}

/** One of the things that can be tried without a model; all of them are real. */
export async function takeFirstStep(desk: Desk, number: number): Promise<void> {
  const step = FIRST_STEPS[number - 1];
  if (step === undefined) return;
  try {
    await steps[step](desk);
  } catch (error) {
    sayError(desk, error);
  }
}

const steps: Readonly<Record<(typeof FIRST_STEPS)[number], (desk: Desk) => Promise<void>>> = {
  sample: async (desk) => {
    const { withoutModel } = desk.strings.terminal.screen;
    const tell = desk.growingAnswer("worldline find --sample");
    const find = async ({ signal }: Waiting): Promise<void> =>
      desk.station.firstSteps.findInSample(tell, signal);
    try {
      await desk.wait(withoutModel.finding, find, "stoppable");
    } catch (error) {
      if (!isWorldlineError(error) || error.code !== "CANCELLED") throw error;
      desk.say({ tone: "warning", line: withoutModel.stopped });
    }
    desk.say({ tone: "quiet", line: withoutModel.more });
  },
  playground: async (desk) => {
    const { screen } = desk.strings.terminal;
    const folder = await desk.wait(screen.opening, async () => desk.station.firstSteps.playground());
    // What is said before the new conversation is read would go with the old one.
    await desk.reload();
    desk.say({ tone: "good", line: screen.withoutModel.playgroundOpened(folder) });
  },
  folder: async (desk) => {
    const { screen } = desk.strings.terminal;
    const folder = await desk.ask(
      textQuestion({ title: screen.withoutModel.whichFolder, keys: desk.strings.terminal.dialogs.keys.text }),
    );
    if (folder === undefined || folder.trim() === "") return;
    await desk.wait(screen.opening, async () => desk.station.firstSteps.openFolder(folder.trim()));
    await desk.reload();
    desk.say({ tone: "good", line: screen.withoutModel.folderOpened(desk.station.agent.workspace) });
  },
  sessions: async (desk) => resumeFlow(desk, "all"),
  connect: async (desk) => connectFlow(desk),
};
