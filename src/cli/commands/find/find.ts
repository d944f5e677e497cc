import { type FindOptions, findBreakingChange } from "../../../app/find.ts";
import { loadFindSample } from "../../../demonstrations.ts";
import { WorldlineError } from "../../../record/error.ts";
import { shownPath } from "../../../record/files.ts";
import { defineCommand, flag, list, rest, text, whole } from "../../command.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import { documentOf } from "./document.ts";
import { type PlaceNames, placeNames, tellProgress, textOf } from "./text.ts";

const DEFAULT_TIMEOUT_S = 600;
const MAX_RUNS = 1_000;

export const find = defineCommand({
  description:
    "This was green, now it is red: which change did it? Runs a test in scratch copies of the workspace's states, of all its " +
    "sessions, and says between which two checkpoints it broke, who did it, and which lines; needs no model and no git. The " +
    "workspace itself is not touched, unless --undo asks for it. The test passes with exit code 0, fails with another, and " +
    "says with 125 that a state cannot be tested. Exit code 0: found; 1: it cannot tell.",
  arguments: { command: rest("the test and its arguments, after --") },
  options: {
    runs: whole(
      "<n>",
      "run each state so often, for a test that is not always of the same mind (default: 1)",
    ),
    since: text("<cp>", "look at nothing before this checkpoint: a number, session:number, or a label"),
    undo: flag("take back only what was found, keeping all else; `worldline redo` brings it again"),
    timeout: whole(
      "<s>",
      `a run that takes longer says nothing of its state (default: ${DEFAULT_TIMEOUT_S})`,
    ),
    sample: flag(
      "prove the finder instead: break a small project of its own in ten ways, and compare its answers with what was done",
    ),
    way: list("<name>", "with --sample: only this way; may be given several times"),
    keep: text("<folder>", "with --sample: make it there, and leave it"),
  },
  examples: [
    { command: "worldline find -- npm test", meaning: "which change broke the tests?" },
    { command: "worldline find --undo -- node test.mjs", meaning: "and take back only that" },
    {
      command: "worldline find --runs 5 -- pytest -q tests/test_pool.py",
      meaning: "a test that may be flaky",
    },
    { command: "worldline find --since 12 -- sh -c 'make && ./check'", meaning: "what only a shell knows" },
    { command: "worldline find --sample", meaning: "is it right? Ten times, with what was really done" },
  ],
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
  const { findSample } = await loadFindSample();
  return findSample(frame, { named: way, keep });
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
  let names: PlaceNames | undefined;
  const { answer, undone } = await findBreakingChange(frame, {
    ...test,
    report: (event) => {
      if (event.code === "partly-captured") output.warn(strings.find.partial(shownPath(event.path)));
      else output.warn(strings.find.absolute(event.word));
    },
    onBegin: async (views) => {
      names = await placeNames(frame, views);
      return tellProgress(frame, names);
    },
  });
  const named = { ...answer, names: names ?? (await placeNames(frame, [])) };
  output.answer(documentOf(frame, named, undone), () => textOf(frame, named, undone));
  const isDone = undone.state === "not-asked" || undone.state === "undone";
  const { verdict } = answer.finding;
  return isDone && (verdict === "found" || verdict === "range") ? 0 : 1;
}
