import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openWorkspaceFiles } from "../../../src/open-files.ts";
import type { WorkspaceFiles } from "../../../src/ports/workspace-files.ts";
import type { SessionId, SnapshotId } from "../../../src/record/ids.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";

const FILES = 40;
const SECRET = "not of the workspace";

/** Swaps a folder for a link to another folder and back, until it is killed. */
const SWAPPER = `
const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
const [place, away, outside] = process.argv.slice(1);
process.stdout.write("swapping");
for (;;) {
  renameSync(place, away);
  symlinkSync(outside, place);
  unlinkSync(place);
  renameSync(away, place);
}`;

export interface RaceReport {
  readonly rounds: number;
  readonly outcomes: { restored: number; kept: number; failed: number };
}

/**
 * Restores and captures while another process keeps swapping a workspace folder for a link to an
 * identical-looking folder outside. Throws if anything outside was changed or ended up in a snapshot.
 */
export async function raceWithSwaps(rounds: number): Promise<RaceReport> {
  const outcomes = { restored: 0, kept: 0, failed: 0 };
  for (let round = 0; round < rounds; round += 1) {
    await inTempFolder(async (root) => {
      for (const { outcome } of await oneRace(root)) outcomes[outcome] += 1;
    });
  }
  return { rounds, outcomes };
}

async function oneRace(root: string): Promise<readonly { outcome: "restored" | "kept" | "failed" }[]> {
  const [workspace, outside, home] = ["work", "outside", "home"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [workspace, outside, home]) mkdirSync(folder);
  plant(join(workspace, "a"), "first");
  const files = await openWorkspaceFiles({ workspace, home, threads: "none" });
  try {
    const first = await files.capture({ look: "everything" });
    change(join(workspace, "a"));
    const second = await files.capture({ look: "everything" });
    plant(outside, "first");
    change(outside);
    writeFileSync(join(outside, "secret"), SECRET);
    const before = canaries(outside);
    const found = await whileSwapping(workspace, outside, async () => {
      const changes = await files.compare(second.snapshot, first.snapshot);
      const restored = await files.restore({
        session: "abcdefghjk" as SessionId,
        journey: { from: "an entry", left: second.snapshot },
        steps: changes,
        commit: async () => {},
      });
      const captured = await files.capture({ look: "everything" });
      return { restored, snapshot: captured.snapshot };
    });
    if (canaries(outside) !== before) throw new Error(`The outside was changed:\n${canaries(outside)}`);
    await requireNoSecret(files, found.snapshot);
    return found.restored;
  } finally {
    await files.close();
  }
}

/** Many files per kind of step, so that swaps hit each kind. */
function plant(folder: string, text: string): void {
  mkdirSync(join(folder, "deep", "er"), { recursive: true });
  for (let index = 0; index < FILES; index += 1) {
    for (const name of ["changed", "removed", "deep/er/changed"])
      writeFileSync(join(folder, `${name}-${index}`), text);
    writeFileSync(join(folder, `mode-${index}`), "same");
  }
}

function change(folder: string): void {
  for (let index = 0; index < FILES; index += 1) {
    writeFileSync(join(folder, `changed-${index}`), "second");
    writeFileSync(join(folder, "deep", "er", `changed-${index}`), "second");
    unlinkSync(join(folder, `removed-${index}`));
    writeFileSync(join(folder, `new-${index}`), "second");
    chmodSync(join(folder, `mode-${index}`), 0o600);
  }
}

async function whileSwapping<Result>(
  workspace: string,
  outside: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const [place, away] = [join(workspace, "a"), join(workspace, "away")];
  const child = spawn(process.execPath, ["-e", SWAPPER, place, away, outside], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    await once(child.stdout, "data");
    return await work();
  } finally {
    child.kill("SIGKILL");
    await ended;
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true) unlinkSync(place);
    if (existsSync(away)) renameSync(away, place);
  }
}

function canaries(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return [".", ...names]
    .map((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      return [name, stat.mode, stat.mtimeMs, stat.isFile() ? readFileSync(path, "utf8") : ""].join(" ");
    })
    .join("\n");
}

async function requireNoSecret(files: WorkspaceFiles, snapshot: SnapshotId): Promise<void> {
  for (const { path, state } of await files.list(snapshot)) {
    if (state.kind !== "file") continue;
    const text = Buffer.from(await files.content(state.hash)).toString();
    if (text === SECRET) throw new Error(`The snapshot has ${path} from outside`);
  }
}
