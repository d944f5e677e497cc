import { type FindSampleOptions, loadFindSample } from "../../../demonstrations.ts";
import { glyphsFor } from "../../../show/style.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import { columnsOf, openProgress } from "../../output.ts";

/**
 * Breaks samples and prints whether the finder's answers are right. The exit code is 0 only if all answers are right.
 */
export async function findInSamples(
  frame: Frame,
  options: Pick<FindSampleOptions, "named" | "keep" | "ways">,
): Promise<ExitCode> {
  const { output, strings, surroundings } = frame;
  const { sample } = strings.find;
  const { findSample, sampleDocument, sampleText } = await loadFindSample();
  const progress = openProgress(frame);
  try {
    const tested = await findSample(frame, {
      ...options,
      onProgress: (step) => {
        if (step.doing !== "begin") progress.show(stepText(step, sample));
        else if (output.mode === "text") output.notice(sample.title(step.ways));
      },
    });
    progress.clear();
    const look = {
      words: sample,
      glyphs: glyphsFor(surroundings.environment),
      style: output.style,
      columns: columnsOf(surroundings.stdout),
    };
    output.answer(sampleDocument(tested), () => sampleText(tested, look));
    return tested.off === 0 ? 0 : 1;
  } finally {
    progress.clear();
  }
}

type FindSampleProgress = Parameters<FindSampleOptions["onProgress"]>[0];

function stepText(
  step: Exclude<FindSampleProgress, { doing: "begin" }>,
  words: Frame["strings"]["find"]["sample"],
): string {
  const way = words.way(step.way);
  return step.doing === "way" ? words.trying(step.index, step.of, way) : words.mending(way);
}
