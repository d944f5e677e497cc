import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { stageFolder } from "../../../scripts/fixture-homes/stage.mjs";
import { errnoOf } from "../../../src/record/error.ts";
import { removeTree } from "../../../src/testing/temp-folder.ts";
import { isLiving } from "../../living.ts";

/** How long to wait for another test run on this machine to release the folder. */
const DEADLINE_MS = 200_000;
const OWNER = "owner";

export const home = join(stageFolder, "home");
export const workspace = join(stageFolder, "shop");

export function fixture(name: string): string {
  return join(import.meta.dirname, "../../fixtures/homes", name);
}

/**
 * Puts a copy of a fixture into the folder in which it was written, because logs name their workspace and are signed.
 * All test runs on a machine share that folder, so it is moved into place by the process that owns it, and the others
 * wait.
 */
export async function layOut(folder: string): Promise<void> {
  const aside = mkdtempSync(`${stageFolder}-`);
  writeFileSync(join(aside, OWNER), String(process.pid));
  copyHome(folder, join(aside, "home"));
  mkdirSync(join(aside, "tmp"));
  const files = JSON.parse(readFileSync(join(folder, "workspace.json"), "utf8")) as Record<string, string>;
  for (const [path, text] of Object.entries(files)) {
    const file = join(aside, "shop", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, 0o644);
  }
  for (const deadline = Date.now() + DEADLINE_MS; !movedInto(aside); await delay(100)) {
    if (Date.now() > deadline) {
      removeTree(aside);
      throw new Error(`${stageFolder} is in use by process ${ownerOf(stageFolder) ?? "(unknown)"}.`);
    }
    removeIfAbandoned();
  }
}

export function copyHome(folder: string, target: string): void {
  cpSync(join(folder, "home"), target, { recursive: true });
  closeToOthers(target);
}

export function clearAway(): void {
  removeTree(stageFolder);
}

/** Restores the modes that the program sets, which git does not keep. */
function closeToOthers(folder: string): void {
  chmodSync(folder, 0o700);
  for (const each of readdirSync(folder, { withFileTypes: true })) {
    if (each.isDirectory()) closeToOthers(join(folder, each.name));
    else chmodSync(join(folder, each.name), 0o600);
  }
}

function movedInto(aside: string): boolean {
  try {
    renameSync(aside, stageFolder);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOTEMPTY" || errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Moves an abandoned folder away and checks its owner again before deleting it: another process may have
 * removed it and started anew.
 */
function removeIfAbandoned(): void {
  const owner = ownerOf(stageFolder);
  if (owner === undefined || isLiving(owner)) return;
  const away = `${stageFolder}-abandoned-${process.pid}`;
  try {
    renameSync(stageFolder, away);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return;
    throw error;
  }
  if (ownerOf(away) === owner) removeTree(away);
  else renameSync(away, stageFolder);
}

function ownerOf(folder: string): number | undefined {
  const file = join(folder, OWNER);
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : undefined;
}
