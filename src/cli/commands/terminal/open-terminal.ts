import type { Frame } from "../../command/frame.ts";
import type { ExitCode } from "../../exit.ts";
import type { Wish } from "../agent/wish.ts";
import { drawFirstPicture, handOverPicture } from "./first-picture.ts";

/** Opens the screen, and stays until the person leaves. Nothing of it remains but how to come back. */
export async function openTerminal(frame: Frame, wish: Wish): Promise<ExitCode> {
  const { strings, surroundings, output } = frame;
  drawFirstPicture();
  const { runTerminal } = await import("../../../tui/tui.ts");
  handOverPicture();
  const { prompt } = wish;
  // Who is to choose a session does so on the screen, which must stand on one by then.
  const isToPick = wish.resume.how === "resume" && wish.resume.wanted === undefined;
  const settled: Wish = isToPick ? { ...wish, resume: { how: "new" }, fork: "no" } : wish;
  // Keys are no signals there: one that comes from outside is a wish to leave, as the others are.
  const release = surroundings.onInterrupt((signal) => {
    if (signal === "SIGINT") process.kill(process.pid, "SIGTERM");
  });
  const { resume } = await runTerminal({
    strings,
    environment: { ...surroundings.environment },
    ...(prompt === undefined ? {} : { firstPrompt: prompt }),
    ...(isToPick ? { pick: "session" } : {}),
    // The agent, the stores and the providers are loaded behind the first picture.
    open: async (person) => (await import("../../station/station.ts")).openStation(frame, settled, person),
  }).finally(release);
  if (resume !== undefined) output.answer({}, () => strings.terminal.station.resume(resume));
  return 0;
}
