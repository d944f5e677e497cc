import { mkdirSync, readdirSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Environment } from "../../../../app/places/home.ts";
import { removeTree } from "../../../../disk/remove-tree.ts";
import { systemClock } from "../../../../disk/system-clock.ts";
import { type BrokenSample, breakSample } from "../../../../finder/sample/break-sample.ts";
import { makeSample } from "../../../../finder/sample/project.ts";
import type { SampleWay } from "../../../../finder/sample/ways.ts";
import { newTemporaryFolder } from "../../../../finder/scratch/temporary-folder.ts";
import { createSession } from "../../../../machine/open.ts";
import { openWorkspaceFiles } from "../../../../open-files.ts";
import type { LogStore } from "../../../../ports/log-store.ts";
import type { WorkspaceFiles } from "../../../../ports/workspace-files.ts";
import { WorldlineError } from "../../../../record/error.ts";
import { pathOfText } from "../../../../record/files.ts";
import type { SessionId } from "../../../../record/ids.ts";
import { openFilesStore } from "../../../../stores/files/files.ts";

const NAME = "worldline find --sample";

/** Where samples are broken. Everything is written below it, and nothing of the person's. */
export interface SampleStage {
  readonly folder: string;
  /** A home and a workspace for one of them. */
  place(name: string): SamplePlace;
  /** Removes it, unless it is to be kept. */
  strike(): void;
}

export interface SamplePlace {
  readonly home: string;
  readonly workspace: string;
  /** For the sample's test: of the person's own only what starts programs. */
  readonly environment: Environment;
}

/** In a temporary folder, or in `keep`, which must be empty or not there yet. */
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
    strike: () => {
      if (keep === undefined) removeTree(pathOfText(folder));
    },
  };
}

function emptyFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length === 0) return folder;
  throw new WorldlineError("INPUT_INVALID", `${folder} is not empty.`, {
    hint: "Give --keep a folder that is empty, or not there yet.",
  });
}

function environmentIn(own: string, { PATH, LANG, TMPDIR }: Environment): Environment {
  return {
    // The sample's test wants a Node, and the one that runs us is one.
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

/** Breaks a sample, does `work` there, and lets go of the files whatever happens. */
export async function withBroken<Result>(
  { home, workspace }: SamplePlace,
  way: SampleWay,
  work: (broken: Broken) => Promise<Result>,
): Promise<Result> {
  makeSample(workspace);
  // There are a dozen files: threads would cost more than they save.
  const files = await openWorkspaceFiles({ workspace, home, name: NAME, threads: "none" });
  try {
    const store = openFilesStore({ root: home, clock: systemClock });
    const ground = { store, clock: systemClock, files };
    const session = await createSession(ground, { workspace }, { name: NAME });
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
