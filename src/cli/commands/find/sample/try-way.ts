import { systemClock } from "../../../../disk/system-clock.ts";
import { find } from "../../../../finder/find.ts";
import { SAMPLE_TEST } from "../../../../finder/sample/project.ts";
import type { SampleWay } from "../../../../finder/sample/ways.ts";
import { viewSession } from "../../../../machine/open.ts";
import { isWorldlineError } from "../../../../record/error.ts";
import type { Frame } from "../../../command/frame.ts";
import { type Answer, answerOf } from "../answer.ts";
import { placeNames } from "../place-names.ts";
import { tellProgress } from "../progress.ts";
import { judge, type Wrong } from "./judge.ts";
import { type SamplePlace, withBroken } from "./stage.ts";

const TIMEOUT_MS = 60_000;

/** What the finder said of a way to break the sample, and what of it is wrong. */
export interface TriedWay {
  readonly name: string;
  /** Absent where the finder did not come to an end. */
  readonly answer?: Answer;
  readonly wrong: readonly Wrong[];
}

export interface Trying {
  readonly frame: Frame;
  readonly place: SamplePlace;
  readonly signal: AbortSignal;
  /** "told": each state that is tried is said, as `worldline find` says it. */
  readonly progress?: "told";
}

/** Breaks a sample, lets the finder look for it, and compares what it says with what was done. */
export async function tryWay(way: SampleWay, trying: Trying): Promise<TriedWay> {
  const { name } = way;
  try {
    return await withBroken(trying.place, way, async ({ store, files, session, checkpoints }) => {
      const { frame, place, signal } = trying;
      const views = [await viewSession(store, session)];
      const names = await placeNames(frame, views);
      const [program, ...words] = SAMPLE_TEST;
      const { environment } = place;
      const finding = await find({
        files,
        views,
        present: await files.capture({ look: "everything", signal }),
        now: systemClock.now(),
        command: { program, arguments: words, environment, timeoutMs: TIMEOUT_MS, signal },
        within: "",
        runs: 1,
        ...(trying.progress === "told" ? { onProgress: tellProgress(frame, names) } : {}),
      });
      const answer = await answerOf(finding, { views, names });
      return { name, answer, wrong: judge(answer, { way, checkpoints }) };
    });
  } catch (error) {
    if (trying.signal.aborted || isWorldlineError(error, "CANCELLED")) throw error;
    const said = error instanceof Error ? error.message : String(error);
    return { name, wrong: [{ about: "trouble", said, wanted: "" }] };
  }
}
