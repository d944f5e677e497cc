import { relative, sep } from "node:path";
import { findCheckpoint } from "../../../app/checkpoints/find-checkpoint.ts";
import { interruptible } from "../../../app/context.ts";
import { patiently, requireFiles, withFiles } from "../../../app/files/files.ts";
import { type Undone, undo } from "../../../app/find.ts";
import { currentFolder } from "../../../app/places/workspace.ts";
import { sessionsHere } from "../../../app/sessions/find-session.ts";
import { openStore } from "../../../app/sessions/store.ts";
import { loadFindSample } from "../../../demonstrations.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import { type FindRequest, find as findChange } from "../../../finder/find.ts";
import { capturePresent } from "../../../machine/files/look.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { Captured, WorkspaceFiles } from "../../../ports/workspace-files.ts";
import { WorldlineError } from "../../../record/error.ts";
import { shownPath } from "../../../record/files.ts";
import { defineCommand, flag, list, rest, text, whole } from "../../command.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import { answerOf } from "./answer.ts";
import { documentOf } from "./document.ts";
import { placeNames } from "./place-names.ts";
import { tellProgress } from "./progress.ts";
import { textOf } from "./text.ts";

const DEFAULT_TIMEOUT_S = 600;
const MOST_RUNS = 1_000;

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
    const wanted = wantedOf(command, options);
    const workspace = await frame.workspace();
    return withFiles(frame, workspace, async (here) => findIn(frame, requireFiles(here), wanted));
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

interface Wanted {
  readonly program: string;
  readonly words: readonly string[];
  readonly runs: number;
  readonly timeoutMs: number;
  readonly since: string | undefined;
  readonly undo: "yes" | "no";
}

function wantedOf([program, ...words]: readonly string[], options: OwnOptions): Wanted {
  if (program === undefined || program === "") throw new WorldlineError("no-test-to-run", {});
  const { runs = 1, timeout = DEFAULT_TIMEOUT_S, since } = options;
  if (runs < 1 || runs > MOST_RUNS) throw new WorldlineError("runs-out-of-range", { most: MOST_RUNS });
  if (timeout < 1) throw new WorldlineError("timeout-too-short", {});
  return { program, words, runs, timeoutMs: timeout * 1_000, since, undo: options.undo ? "yes" : "no" };
}

async function findIn(frame: Frame, files: WorkspaceFiles, wanted: Wanted): Promise<ExitCode> {
  const store = openStore(frame);
  const views = await sessionsHere(frame, store);
  const since = wanted.since === undefined ? undefined : await findCheckpoint(frame, store, wanted.since);
  if (since !== undefined && since.view.header.workspace !== files.folder) {
    throw new WorldlineError("since-of-other-workspace", { given: wanted.since ?? "" });
  }
  return interruptible(frame, async (signal) => {
    const present = await presentOf(frame, { files, views, signal });
    warnOf(frame, { files, wanted, present });
    const names = await placeNames(frame, views);
    const request: FindRequest = {
      files,
      views,
      present,
      now: systemClock.now(),
      ...(since === undefined ? {} : { since: { session: since.view.id, checkpoint: since.row.number } }),
      command: {
        program: wanted.program,
        arguments: wanted.words,
        environment: frame.surroundings.environment,
        timeoutMs: wanted.timeoutMs,
        signal,
      },
      within: withinOf(frame, files.folder),
      runs: wanted.runs,
      onProgress: tellProgress(frame, names),
    };
    const finding = await findChange(request);
    const answer = await answerOf(finding, { views, names });
    const undone: Undone =
      wanted.undo === "yes" ? await undo(frame, { files, finding, signal }) : { state: "not-asked" };
    frame.output.answer(documentOf(frame, answer, undone), () => textOf(frame, answer, undone));
    const isDone = undone.state === "not-asked" || undone.state === "undone";
    return isDone && (finding.verdict === "found" || finding.verdict === "range") ? 0 : 1;
  });
}

interface Looking {
  readonly files: WorkspaceFiles;
  readonly views: readonly SessionView[];
  readonly signal: AbortSignal;
}

/** Whose the last changes are, the newest session's rule says; without one they are the outside's. */
async function presentOf(frame: Frame, { files, views, signal }: Looking): Promise<Captured> {
  const [view] = views;
  return patiently(
    frame,
    (wish) =>
      view === undefined
        ? files.capture({ look: "everything", signal: wish.signal })
        : capturePresent({ view, files }, wish),
    signal,
  );
}

function warnOf(
  { output, strings }: Frame,
  {
    files,
    wanted,
    present,
  }: { readonly files: WorkspaceFiles; readonly wanted: Wanted; readonly present: Captured },
): void {
  const [gap] = present.gaps;
  if (gap !== undefined) output.warn(strings.find.partial(shownPath(gap.path)));
  const word = [wanted.program, ...wanted.words].find((each) => each.includes(files.folder));
  if (word !== undefined) output.warn(strings.find.absolute(word));
}

/** The same folder in a copy as the person's in the workspace; the workspace itself for who stands outside. */
function withinOf({ surroundings }: Frame, workspace: string): string {
  const within = relative(workspace, currentFolder(surroundings.cwd));
  return within === ".." || within.startsWith(`..${sep}`) ? "" : within;
}
