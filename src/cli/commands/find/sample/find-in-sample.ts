import { type SampleWay, sampleWays } from "../../../../finder/sample/ways.ts";
import { WorldlineError } from "../../../../record/error.ts";
import type { Frame } from "../../../command/frame.ts";
import { tellingFrame } from "../../../telling-frame.ts";
import { textOf } from "../text.ts";
import { openSampleStage } from "./stage.ts";
import { tryWay } from "./try-way.ts";

/** Breaks a sample in a random way, has the finder find it, and compares; all of it below a temporary folder. */
export async function findInSample(
  frame: Frame,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const words = frame.strings.terminal.station.sample;
  const way = anyWay();
  const stage = openSampleStage(frame.surroundings.environment);
  try {
    const place = stage.place("sample");
    tell(words.made(place.workspace));
    tell(words.broken(way.steps.length));
    tell(words.asked);
    const trying = { frame: tellingFrame(frame, tell), place, signal, progress: "told" } as const;
    const { answer, wrong } = await tryWay(way, trying);
    if (answer === undefined) throw failed(wrong.map(({ said }) => said).join(" "));
    for (const line of textOf(frame, answer, { state: "not-asked" }).split("\n")) {
      // The sample is about to go: there is nothing to take back.
      if (line !== frame.strings.find.undoWith) tell(line);
    }
    tell(wrong.length === 0 ? words.right : words.wrong);
    tell(words.gone);
  } finally {
    stage.strike();
  }
}

/** One with something to find. */
function anyWay(): SampleWay {
  const ways = sampleWays.filter(({ culprit }) => culprit !== "cannot-tell");
  const way = ways[Math.floor(Math.random() * ways.length)];
  if (way === undefined) throw new Error("There is no way to break the sample.");
  return way;
}

function failed(why: string): WorldlineError {
  return new WorldlineError("INPUT_INVALID", `The finder did not come to an end: ${why}`, {
    hint: "See all of it: worldline find --sample",
  });
}
