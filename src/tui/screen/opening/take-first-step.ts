import { isWorldlineError } from "../../../record/error.ts";
import type { Waiting } from "../../commands/desk.ts";
import { sayError } from "../../commands/say-error.ts";
import { textQuestion } from "../../dialogs/pieces/text-question.ts";
import { resumeFlow } from "../../travel/resume-flow.ts";
import { connectFlow } from "../../travel/setup/connect-flow.ts";
import type { ScreenDesk } from "../desk/screen-desk.ts";
import { FIRST_STEPS } from "./first-screen.ts";

/** One of the things that can be tried without a model; all of them are real. */
export async function takeFirstStep(desk: ScreenDesk, number: number): Promise<void> {
  const step = FIRST_STEPS[number - 1];
  if (step === undefined) return;
  try {
    await steps[step](desk);
  } catch (error) {
    sayError(desk, error);
  }
}

const steps: Readonly<Record<(typeof FIRST_STEPS)[number], (desk: ScreenDesk) => Promise<void>>> = {
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
