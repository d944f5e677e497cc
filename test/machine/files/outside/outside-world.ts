import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import type { Session } from "../../../../src/machine/session.ts";
import { type TempFolder, tempFolder } from "../../../../src/testing/temp-folder.ts";
import { outcomesIn } from "../../../../src/travel/logged-files.ts";
import { begin, openSessionDeps, type WatchContext } from "../../deps.ts";
import { MemoryWorkspace } from "../../memory-workspace.ts";
import { lastOf } from "../workspace.ts";

const folders: TempFolder[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

export interface OutsideWorld {
  readonly deps: WatchContext;
  readonly session: Session;
  /** A real folder outside the workspace, which itself is in memory. */
  readonly folder: string;
  at(name: string): string;
  /** The content at a path as `text mode`, or "nothing". */
  told(name: string): string;
}

export async function beginBeside(): Promise<OutsideWorld & { readonly files: MemoryWorkspace }> {
  const files = new MemoryWorkspace();
  const deps = Object.assign(openSessionDeps(), { files });
  return { ...worldOf(deps, await begin(deps), newFolder()), files };
}

/** A session whose workspace is not captured, such as the home folder. */
export async function beginAtHome(): Promise<OutsideWorld> {
  const folder = newFolder();
  const deps = Object.assign(openSessionDeps(), { touchedFiles: "follow" as const });
  return worldOf(deps, await begin(deps, { workspace: folder }), folder);
}

export function newFolder(): string {
  const folder = tempFolder();
  folders.push(folder);
  return folder.path;
}

function worldOf(deps: WatchContext, session: Session, folder: string): OutsideWorld {
  const at = (name: string): string => join(folder, name);
  return { deps, session, folder, at, told: (name) => toldAt(at(name)) };
}

export function toldAt(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return "nothing";
  if (!stat.isFile()) return "no file";
  return `${readFileSync(path, "latin1")} ${(stat.mode & 0o7777).toString(8)}`;
}

/** Writes a file as something other than a tool would; undefined removes it. */
export function put(path: string, text: string | undefined, mode = 0o644): void {
  if (text === undefined) {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, "latin1");
  chmodSync(path, mode);
}

/** A step of the agent whose one call writes or removes these files; returns its checkpoint. */
export async function writes(
  session: Session,
  ...edits: readonly (readonly [path: string, text: string | undefined, mode?: number])[]
): Promise<number> {
  const number = await session.step();
  await session.capture({ checkpoint: number, author: "timeline" });
  const call = `call${number}`;
  const input = { file_path: edits[0]?.[0] ?? "" };
  await session.reply({ model: "m", parts: [{ type: "tool-call", call, name: "Write", input }] });
  await session.toolStart(call, "Write");
  const watch = await session.watchOutside(edits.map(([path]) => path));
  for (const [path, text, mode] of edits) put(path, text, mode);
  const outside = (await watch?.changes()) ?? [];
  const parts = [{ type: "text", text: "done" } as const];
  await session.toolEnd(call, "ok", { parts, ...(outside.length === 0 ? {} : { outside }) });
  return number;
}

/** The last journey's report for each path, as `path: outcome (why)`. */
export async function outcomes(session: Session): Promise<readonly string[]> {
  const entry = await lastOf(session, "restored");
  return outcomesIn(entry?.paths ?? "").map(
    ({ path, outcome, why }) => `${path}: ${outcome}${why === undefined ? "" : ` (${why})`}`,
  );
}
