import { mkdirSync, readdirSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type Answer, answerOf } from "../../src/app/find.ts";
import type { Environment } from "../../src/app/places/home.ts";
import { removeTree } from "../../src/disk/remove-tree.ts";
import { systemClock } from "../../src/disk/system-clock.ts";
import { type FindProgress, find } from "../../src/finder/find.ts";
import { newTemporaryFolder } from "../../src/finder/scratch/temporary-folder.ts";
import { createSession, viewSession } from "../../src/machine/open.ts";
import { openWorkspaceFiles } from "../../src/open-files.ts";
import type { LogStore } from "../../src/ports/log-store.ts";
import type { WorkspaceFiles } from "../../src/ports/workspace-files.ts";
import { isWorldlineError, WorldlineError } from "../../src/record/error.ts";
import { pathOfText } from "../../src/record/files.ts";
import type { SessionId } from "../../src/record/ids.ts";
import type { Json } from "../../src/record/parts.ts";
import { openFilesStore } from "../../src/stores/files/files.ts";
import { makeSample, SAMPLE_TEST } from "./project.ts";
import { type BrokenSample, breakSample, type SampleWay } from "./ways.ts";

const NAME = "worldline find --sample";

/** The folder in which samples are broken. All files are written inside it. */
export interface SampleStage {
  readonly folder: string;
  /** Creates a home and a workspace for one sample. */
  place(name: string): SamplePlace;
  /** Removes the folder, unless it is kept. */
  remove(): void;
}

export interface SamplePlace {
  readonly home: string;
  readonly workspace: string;
  /** The environment of the sample's test: only the variables that are needed to start programs. */
  readonly environment: Environment;
}

/** Opens a stage in a temporary folder, or in `keep`, which must be empty or not exist yet. */
export function openSampleStage(environment: Environment, keep?: string): SampleStage {
  const folder =
    keep === undefined ? newTemporaryFolder("worldline-sample-") : realpathSync(emptyFolder(keep));
  return {
    folder,
    place(name) {
      const own = join(folder, name.replaceAll(" ", "-"));
      const [home, workspace] = [join(own, "home"), join(own, "workspace")];
      mkdirSync(workspace, { recursive: true });
      return { home, workspace, environment: environmentIn(own, environment) };
    },
    remove: () => {
      if (keep === undefined) removeTree(pathOfText(folder));
    },
  };
}

function emptyFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length === 0) return folder;
  throw new WorldlineError("folder-to-keep-not-empty", { folder });
}

function environmentIn(own: string, { PATH, LANG, TMPDIR }: Environment): Environment {
  return {
    // The sample's test needs Node, and the Node that runs this process is sufficient.
    PATH: [dirname(process.execPath), ...(PATH ? [PATH] : [])].join(delimiter),
    HOME: own,
    WORLDLINE_HOME: join(own, "home"),
    SAMPLE_RUNS: join(own, "runs"),
    ...(LANG === undefined ? {} : { LANG }),
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
  };
}

/** A sample that an agent's session has broken. */
export interface Broken extends BrokenSample {
  readonly store: LogStore;
  readonly files: WorkspaceFiles;
  readonly session: SessionId;
}

/** Breaks a sample, runs `work` on it, and closes the files even if `work` fails. */
export async function withBroken<Result>(
  { home, workspace }: SamplePlace,
  way: SampleWay,
  work: (broken: Broken) => Promise<Result>,
): Promise<Result> {
  makeSample(workspace);
  // Threads would cost more than they save for a dozen files.
  const files = await openWorkspaceFiles({ workspace, home, name: NAME, threads: "none" });
  try {
    const store = openFilesStore({ root: home, clock: systemClock });
    const deps = { store, clock: systemClock, files };
    const session = await createSession(deps, { workspace }, { name: NAME });
    let broken: BrokenSample;
    try {
      broken = await breakSample(session, way);
    } finally {
      await session.close();
    }
    return await work({ store, files, session: session.id, ...broken });
  } finally {
    await files.close();
  }
}

const TIMEOUT_MS = 60_000;

/** The finder's answer for one way of breaking the sample, and the errors in that answer. */
export interface TriedWay {
  readonly name: string;
  /** Absent if the finder failed. */
  readonly answer?: Answer;
  readonly wrong: readonly Wrong[];
}

export interface WayContext {
  readonly place: SamplePlace;
  readonly signal: AbortSignal;
  /** Gets every state that is tried. */
  readonly onProgress?: (progress: FindProgress) => void;
}

/** Breaks a sample, runs the finder on it, and compares the finder's answer with what was done. */
export async function tryWay(way: SampleWay, context: WayContext): Promise<TriedWay> {
  const { name } = way;
  try {
    return await withBroken(context.place, way, async ({ store, files, session, checkpoints }) => {
      const { place, signal, onProgress } = context;
      const views = [await viewSession(store, session)];
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
        ...(onProgress === undefined ? {} : { onProgress }),
      });
      const answer = await answerOf(finding, views);
      return { name, answer, wrong: judge(answer, { way, checkpoints }) };
    });
  } catch (error) {
    if (context.signal.aborted || isWorldlineError(error, "CANCELLED")) throw error;
    const said = error instanceof Error ? error.message : String(error);
    return { name, wrong: [{ about: "trouble", said, wanted: "" }] };
  }
}

/** A wrong statement by the finder, and the correct statement. */
export interface Wrong {
  readonly about: "verdict" | "checkpoint" | "files" | "lines" | "author" | "proof" | "trouble";
  readonly said: string;
  readonly wanted: string;
}

export interface Done {
  readonly way: SampleWay;
  readonly checkpoints: readonly number[];
}

const NOTHING = "nothing";

type Culprit = Exclude<SampleWay["culprit"], "cannot-tell">;

/** Compares an answer with what was really done. The result is empty if the whole answer is right. Pure. */
function judge(answer: Answer, done: Done): readonly Wrong[] {
  const { culprit } = done.way;
  const { verdict } = answer.finding;
  if (culprit === "cannot-tell") {
    const isHonest = verdict === "flaky" || verdict === "cannot-tell";
    return isHonest ? [] : [{ about: "verdict", said: verdict, wanted: "cannot-tell" }];
  }
  if (verdict !== "found") return [{ about: "verdict", said: verdict, wanted: "found" }];
  const compared = [...placeIn(answer, done, culprit), ...changeIn(answer, culprit)];
  return compared.filter(({ said, wanted }) => said !== wanted);
}

/** Returns the errors in the place that the answer names: when the change was made, and by whom. */
function placeIn(
  { border, author }: Answer,
  { way, checkpoints }: Done,
  { step }: Culprit,
): readonly Wrong[] {
  const call = way.steps[step]?.call;
  return [
    {
      about: "checkpoint",
      said: String(border?.red.places[0]?.checkpoint ?? NOTHING),
      wanted: String(checkpoints[step] ?? NOTHING),
    },
    {
      about: "author",
      said: authorText(author?.by, author?.calls ?? []),
      wanted: call === undefined ? authorText("outside", []) : authorText("tool", [call]),
    },
  ];
}

/** Returns the errors in the change that the answer names: what it was, and whether the test passes without it. */
function changeIn({ change, paths }: Answer, culprit: Culprit): readonly Wrong[] {
  const patch = paths.map((path) => path.patch ?? "").join("\n");
  const missing = (culprit.lines ?? []).filter((line) => !patch.includes(`\n${line}\n`));
  return [
    { about: "files", said: paths.map(({ path }) => path).join(", "), wanted: culprit.paths.join(", ") },
    { about: "lines", said: missing.length === 0 ? "" : patch, wanted: missing.join("\n") },
    {
      about: "proof",
      said: change === undefined ? NOTHING : `${change.size}, ${change.effect.state}`,
      wanted: "minimal, confirmed",
    },
  ];
}

function authorText(
  by: string | undefined,
  calls: readonly { readonly name: string; readonly input: Json }[],
): string {
  return [by ?? NOTHING, ...calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`)].join(", ");
}
