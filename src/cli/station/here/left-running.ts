import { BackgroundCommands } from "../../../agent/tools/bash/background-commands.ts";
import type { StationWarning } from "../../../ports/station/station.ts";
import { oneLine } from "../../output/printable.ts";
import { shortened } from "../../show/width.ts";
import type { StationHere } from "../station-parts.ts";

const LONGEST = 100;

/** Commands that a run before this one started, and a kill left running: they may change files at any moment. */
export function leftRunning({ frame, opened }: StationHere): StationWarning | undefined {
  if (opened.resumed === "new") return undefined;
  const running = new BackgroundCommands(opened.session.id).leftovers();
  if (running.length === 0) return undefined;
  const { station } = frame.strings.terminal;
  const named = running.map((line) => shortened(oneLine(line), LONGEST, "..."));
  return {
    message: `${station.leftRunning(running.length)} ${named.join(", ")}`,
    hint: station.leftRunningHint,
  };
}
