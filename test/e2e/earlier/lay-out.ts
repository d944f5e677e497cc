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

/** How long another run of these tests on this machine may have the folder. */
const DEADLINE_MS = 200_000;
const OWNER = "owner";

export const home = join(stageFolder, "home");
export const workspace = join(stageFolder, "shop");

export function fixture(name: string): string {
  return join(import.meta.dirname, "../../fixtures/homes", name);
}

/**
 * Puts a copy of a fixture where it was written: logs name their workspace, and are signed. The folder is the same for all
 * who run these tests on a machine, so it comes into being with the process that has it, and the others wait.
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

/** As the program makes it: git keeps no modes. */
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

/** Moved away before it is removed, and looked at once more: another process may have removed it and begun anew. */
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
