import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";

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

/** A link could lead to anything on the machine, and a FIFO would never end. */
async function readPlain(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isFile() ? await readFile(path, "utf8") : undefined;
  } catch {
    // Not there, or not readable: then there are none.
    return undefined;
  }
}
