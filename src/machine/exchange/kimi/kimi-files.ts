import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { WorldlineError } from "../../../record/error.ts";

/** One file of a session of kimi-cli. */
export interface KimiFile {
  readonly path: string;
  readonly name: string;
  /** Milliseconds since 1970: the only time that its messages have. */
  readonly modified: number;
}

export interface KimiFiles {
  /** Oldest first; the last one is the conversation as it stands. */
  readonly files: readonly KimiFile[];
  readonly folder: string;
  /** What kimi-cli calls the session. */
  readonly name: string;
  readonly warnings: readonly string[];
}

const LIVE_NAME = "context.jsonl";
/** Everything is read into memory. */
const MOST_BYTES = 1024 ** 3;

/** Finds the files of the session at `path`: its folder, or its live file. Opens none of them. */
export async function kimiFilesAt(path: string): Promise<KimiFiles> {
  const isFolder = (await statOf(path)).isDirectory();
  const folder = isFolder ? path : dirname(path);
  const liveName = isFolder ? LIVE_NAME : basename(path);
  const names = await readdir(folder);
  const warnings: string[] = [];
  const earlier = await earlierFiles(folder, { names, liveName }, warnings);
  const files = names.includes(liveName) ? [...earlier, await fileAt(join(folder, liveName))] : earlier;
  if (files.length === 0) throw new WorldlineError("import-nothing-there", { path });
  if (!names.includes(liveName)) {
    warnings.push(`There is no ${liveName}; the newest of the numbered files was taken for it.`);
  }
  const name = liveName === LIVE_NAME ? basename(folder) : liveName.replace(/\.jsonl$/, "");
  return { files, folder, name, warnings };
}

/** What was moved aside: `context_<n>.jsonl`, or `context.jsonl.<n>`. */
async function earlierFiles(
  folder: string,
  { names, liveName }: { readonly names: readonly string[]; readonly liveName: string },
  warnings: string[],
): Promise<KimiFile[]> {
  const stem = liveName.replace(/\.jsonl$/, "");
  if (stem === liveName) return [];
  const dotted = await numbered(folder, names, [`${liveName}.`, ""]);
  const underscored = await numbered(folder, names, [`${stem}_`, ".jsonl"]);
  const times = dotted.map((file) => file.modified);
  if (new Set(times).size < times.length) {
    warnings.push(`Files ${liveName}.<n> have the same time; a higher number was taken to be newer.`);
  }
  return [...dotted.sort((a, b) => a.modified - b.modified), ...underscored];
}

async function numbered(
  folder: string,
  names: readonly string[],
  [start, end]: readonly [string, string],
): Promise<KimiFile[]> {
  const found = names.flatMap((name) => {
    if (!name.startsWith(start) || !name.endsWith(end)) return [];
    const number = name.slice(start.length, name.length - end.length);
    return /^\d{1,9}$/.test(number) ? [{ name, number: Number(number) }] : [];
  });
  const sorted = found.sort((a, b) => a.number - b.number);
  return Promise.all(sorted.map(({ name }) => fileAt(join(folder, name))));
}

/** A pipe or a device would never end, so only files are taken. */
async function fileAt(path: string): Promise<KimiFile> {
  const found = await statOf(path);
  if (!found.isFile()) throw new WorldlineError("import-not-a-file", { path });
  if (found.size > MOST_BYTES) {
    throw new WorldlineError("import-too-large", { path, most: MOST_BYTES });
  }
  return { path, name: basename(path), modified: found.mtimeMs };
}

async function statOf(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (cause) {
    throw new WorldlineError("import-path-unreadable", { path }, { cause });
  }
}
