import type { Desk } from "../../commands/desk.ts";
import { confirm } from "../../dialogs/pieces/confirm.ts";
import { sayingErrors } from "../saying-errors.ts";

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
