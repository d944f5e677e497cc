import { type FindOptions, findBreakingChange } from "../../../app/find.ts";
import { WorldlineError } from "../../../record/error.ts";
import { shownPath } from "../../../record/files.ts";
import { answerLines, findProgressText, undoneLines } from "../../../show/find-text.ts";
import { defineCommand, flag, list, rest, text, whole } from "../../command.ts";
import { wordingOf } from "../../command-again.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import { documentOf } from "./document.ts";
import { findInSamples } from "./sample.ts";

const DEFAULT_TIMEOUT_S = 600;
const MAX_RUNS = 1_000;

export const find = defineCommand({
  help: (help) => help.find,
  arguments: { command: rest() },
  options: {
    runs: whole("<n>"),
    since: text("<cp>"),
    undo: flag(),
    timeout: whole("<s>"),
    sample: flag(),
    way: list("<name>"),
    keep: text("<folder>"),
  },
  run: async ({ arguments: { command }, options, frame }) => {
    if (options.sample) {
      refuseOwnOptions(options);
      return sampled(frame, command, options);
    }
    refuseSampleOptions(options);
    return findAndAnswer(frame, testOf(command, options));
  },
});

interface OwnOptions {
  readonly runs: number | undefined;
  readonly timeout: number | undefined;
  readonly since: string | undefined;
  readonly undo: boolean;
}

interface SampleOptions {
  readonly way: readonly string[];
  readonly keep: string | undefined;
}

async function sampled(
  frame: Frame,
  command: readonly string[],
  { way, keep }: SampleOptions,
): Promise<ExitCode> {
  if (command.length > 0) throw new WorldlineError("sample-brings-its-test", {});
  return findInSamples(frame, { named: way, keep });
}

function refuseOwnOptions({ runs, since, undo: undoes, timeout }: OwnOptions): void {
  const given = { runs, since, undo: undoes || undefined, timeout };
  const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  throw new WorldlineError("option-not-with-sample", { option: `--${name}` });
}

function refuseSampleOptions({ way, keep }: SampleOptions): void {
  if (way.length === 0 && keep === undefined) return;
  throw new WorldlineError("option-of-sample", { option: keep === undefined ? "--way" : "--keep" });
}

type Test = Pick<FindOptions, "program" | "words" | "runs" | "timeoutMs" | "since" | "undo">;

function testOf([program, ...words]: readonly string[], options: OwnOptions): Test {
  if (program === undefined || program === "") throw new WorldlineError("no-test-to-run", {});
  const { runs = 1, timeout = DEFAULT_TIMEOUT_S, since } = options;
  if (runs < 1 || runs > MAX_RUNS) throw new WorldlineError("runs-out-of-range", { most: MAX_RUNS });
  if (timeout < 1) throw new WorldlineError("timeout-too-short", {});
  return { program, words, runs, timeoutMs: timeout * 1_000, since, undo: options.undo ? "yes" : "no" };
}

async function findAndAnswer(frame: Frame, test: Test): Promise<ExitCode> {
  const { output, strings } = frame;
  const words = { strings, wording: wordingOf(frame) };
  const { answer, undone } = await findBreakingChange(frame, {
    ...test,
    report: (event) => {
      if (event.code === "partly-captured") output.warn(strings.find.partial(shownPath(event.path)));
      else output.warn(strings.find.absolute(event.word));
    },
    // Progress goes to standard error, with and without `--json`.
    onProgress: (progress) => output.notice(findProgressText(progress, words)),
  });
  output.answer(documentOf(frame, answer, undone), () =>
    [...answerLines(answer, words), ...undoneLines(answer, undone, words)].join("\n"),
  );
  const isDone = undone.state === "not-asked" || undone.state === "undone";
  const { verdict } = answer.finding;
  return isDone && (verdict === "found" || verdict === "range") ? 0 : 1;
}
