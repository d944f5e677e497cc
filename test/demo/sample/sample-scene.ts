import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { makeSample, SAMPLE_TEST } from "../../../demo/sample/project.ts";
import { breakSample, type SampleWay, sampleWays } from "../../../demo/sample/ways.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { type FindRequest, find } from "../../../src/finder/find.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { openWorkspaceFiles } from "../../../src/open-files.ts";
import { openSession } from "../../../src/open-session.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";

export function wayNamed(name: string): SampleWay {
  const way = sampleWays.find((each) => each.name === name);
  if (way === undefined) throw new Error(`There is no way "${name}".`);
  return way;
}

/** A sample that was broken in this way, and everything the finder needs to work on it. */
export async function brokenSample(way: SampleWay) {
  const folder = tempFolder();
  onTestFinished(folder.remove);
  const [home, workspace] = [join(folder.path, "home"), join(folder.path, "workspace")];
  mkdirSync(workspace);
  makeSample(workspace);
  const session = await openSession({ home, workspace, files: "on" });
  const { checkpoints } = await breakSample(session, way);
  await session.close();
  const store = openFilesStore({ root: home, clock: systemClock });
  const files = await openWorkspaceFiles({ workspace, home, threads: "none" });
  onTestFinished(async () => files.close());
  const [program, ...words] = SAMPLE_TEST;
  const environment = {
    PATH: process.env["PATH"],
    HOME: folder.path,
    SAMPLE_RUNS: join(folder.path, "runs"),
  };

  async function look(request: Partial<FindRequest> = {}) {
    const views = [await viewSession(store, session.id)];
    const present = await files.capture({ look: "everything" });
    const finding = await find({
      files,
      views,
      present,
      now: Date.now(),
      command: {
        program,
        arguments: words,
        environment,
        timeoutMs: 60_000,
        signal: new AbortController().signal,
      },
      within: "",
      runs: 1,
      ...request,
    });
    return { finding, views };
  }

  return { root: folder.path, home, workspace, session: session.id, checkpoints, environment, look };
}

/** Whether the sample's test passes in a folder. */
export async function isGreen(folder: string): Promise<boolean> {
  const [program, ...words] = SAMPLE_TEST;
  return promisify(execFile)(program, words, { cwd: folder }).then(
    () => true,
    () => false,
  );
}
