import { lstat, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../record/error.ts";

/** The first that is there counts. */
const NAMES = ["AGENTS.md", "CLAUDE.md"];
/** Beyond this it would fill the context of every request. */
const MOST_CHARACTERS = 40_000;

export interface Instructions {
  readonly file: string;
  readonly text: string;
  readonly isCut: "yes" | "no";
}

/** What the workspace tells agents; undefined where it says nothing, or not in a plain file. */
export async function readInstructions(workspace: string): Promise<Instructions | undefined> {
  for (const name of NAMES) {
    const text = await readPlain(join(workspace, name));
    if (text === undefined || text.trim() === "") continue;
    const isLong = text.length > MOST_CHARACTERS;
    return { file: name, text: text.slice(0, MOST_CHARACTERS).trim(), isCut: isLong ? "yes" : "no" };
  }
  return undefined;
}

/** A file that agents are meant to read, and that this one does not, or not to its end. */
export interface UnusedInstructions {
  readonly file: string;
  readonly why: "link" | "no-file" | "unreadable" | "cut";
}

/** What a person would think is read and is not. A link to the file that is read is none. */
export async function unusedInstructions(workspace: string): Promise<readonly UnusedInstructions[]> {
  const used = await readInstructions(workspace);
  const unused: UnusedInstructions[] = [];
  for (const file of NAMES) {
    if (file === used?.file) return used.isCut === "yes" ? [...unused, { file, why: "cut" }] : unused;
    const why = await whyUnused(join(workspace, file), used && join(workspace, used.file));
    if (why !== undefined) unused.push({ file, why });
  }
  return unused;
}

async function whyUnused(
  path: string,
  used: string | undefined,
): Promise<UnusedInstructions["why"] | undefined> {
  try {
    const there = await lstat(path);
    if (there.isSymbolicLink()) return (await leadsTo(path, used)) ? undefined : "link";
    if (!there.isFile()) return "no-file";
    await readFile(path);
    return undefined;
  } catch (error) {
    return isMissing(error) ? undefined : "unreadable";
  }
}

async function leadsTo(link: string, file: string | undefined): Promise<boolean> {
  if (file === undefined) return false;
  const [from, to] = await Promise.all([link, file].map((each) => realpath(each).catch(() => each)));
  return from === to;
}

/** A link could lead to anything on the machine, and a FIFO would never end. */
async function readPlain(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isFile() ? await readFile(path, "utf8") : undefined;
  } catch {
    // Not there, or not readable: then there are none.
    return undefined;
  }
}
