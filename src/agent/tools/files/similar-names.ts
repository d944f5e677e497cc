import { readdir } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { lookAt } from "./look.ts";
import { shownPath } from "./places.ts";

const MOST = 3;

/** What the model may have meant by a path that is not there, as a sentence; empty when nothing comes near. */
export async function didYouMean(workspace: string, place: string): Promise<string> {
  const inside = join(workspace, place);
  const found = (await lookAt(inside)).kind === "file" ? [inside] : await neighbours(place);
  return found.length === 0
    ? ""
    : ` Did you mean ${found.map((each) => shownPath(workspace, each)).join(" or ")}?`;
}

async function neighbours(place: string): Promise<string[]> {
  const folder = dirname(place);
  const wanted = plain(basename(place));
  // Two neighbouring letters in the wrong order are two changes.
  const most = Math.max(wanted.length < 3 ? 1 : 2, Math.floor(wanted.length / 4));
  const near = (await namesIn(folder))
    .map((name) => ({ name, far: distance(wanted, plain(name)) }))
    .filter(({ name, far }) => far <= most || sameStem(wanted, plain(name)))
    .sort((one, other) => one.far - other.far || (one.name < other.name ? -1 : 1));
  return near.slice(0, MOST).map(({ name }) => join(folder, name));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    // A suggestion is a courtesy; why the file cannot be read is said anyway.
    return [];
  }
}

/** One name for all ways to write it: an accent may be one character or two. */
function plain(name: string): string {
  return name.normalize("NFC").toLowerCase().replace(/\s/gu, " ");
}

function sameStem(one: string, other: string): boolean {
  return (
    one.slice(0, -extname(one).length || undefined) === other.slice(0, -extname(other).length || undefined)
  );
}

/** How many letters must be added, removed or changed. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > one.length) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
