import { createHash } from "node:crypto";
import { chmod, open, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { isJsonObject } from "../../record/parts.ts";
import { provideHome } from "../places/home.ts";
import { makeFolder } from "../places/make-folder.ts";
import { namesIn } from "../places/outputs.ts";
import { systemCode } from "../places/system-error.ts";
import { replaceFile } from "../settings/write-file.ts";

const MOST = 1_000;
/** The file may grow by so many lines before the oldest are taken off: each time would be a rewrite for every line. */
const SLACK = 200;

/** What a person has typed in a workspace, in a file that only they can read. */
export interface TypedHistory {
  /** Oldest first. */
  read(): Promise<readonly string[]>;
  add(typed: string): Promise<void>;
}

type HasText = (text: string) => boolean;

/** How many lines of the histories of all workspaces have a text. */
export async function countTyped(home: string, hasText: HasText): Promise<number> {
  const files = await historiesWith(home, hasText);
  return files.reduce((sum, { forgotten }) => sum + forgotten, 0);
}

/** Takes every line with a text out of the histories of all workspaces; resolves with how many there were. */
export async function forgetTyped(home: string, hasText: HasText): Promise<number> {
  const files = await historiesWith(home, hasText);
  for (const { path, kept } of files) {
    // What a crash has left beside a history is of no use to anyone.
    if (basename(path).startsWith(".")) await rm(path);
    else await replaceFile(path, kept.map((line) => `${line}\n`).join(""), { file: 0o600, folder: 0o700 });
  }
  return files.reduce((sum, { forgotten }) => sum + forgotten, 0);
}

interface Typed {
  readonly path: string;
  readonly kept: readonly string[];
  readonly forgotten: number;
}

async function historiesWith(home: string, hasText: HasText): Promise<readonly Typed[]> {
  const found: Typed[] = [];
  for (const name of await namesIn(folderIn(home))) {
    const path = join(folderIn(home), name);
    const lines = await linesIn(path);
    // A line that cannot be read may have it all the same.
    const kept = lines.filter((line) => ![line, ...typedIn(line)].some(hasText));
    if (kept.length < lines.length) found.push({ path, kept, forgotten: lines.length - kept.length });
  }
  return found;
}

function folderIn(home: string): string {
  return join(home, "history");
}

export function typedHistory(home: string, workspace: string): TypedHistory {
  const folder = folderIn(home);
  const path = join(folder, `${createHash("sha256").update(workspace).digest("hex").slice(0, 16)}.jsonl`);
  return {
    read: async () => (await linesIn(path)).flatMap(typedIn).slice(-MOST),
    async add(typed) {
      if (typed.trim() === "") return;
      await provideHome(home);
      await makeFolder(folder, 0o700);
      await append(path, `${JSON.stringify({ typed })}\n`);
      const lines = await linesIn(path);
      if (lines.length <= MOST + SLACK) return;
      await replaceFile(path, `${lines.slice(-MOST).join("\n")}\n`, { file: 0o600, folder: 0o700 });
    },
  };
}

/** Behind a line that was torn it begins a line of its own: that one is lost, and no other. */
async function append(path: string, line: string): Promise<void> {
  const handle = await open(path, "a+", 0o600);
  try {
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    await handle.appendFile(size > 0 && last.toString() !== "\n" ? `\n${line}` : line);
  } finally {
    await handle.close();
  }
  await chmod(path, 0o600);
}

async function linesIn(path: string): Promise<readonly string[]> {
  try {
    return (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

function typedIn(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line);
    const typed = isJsonObject(value) ? value["typed"] : undefined;
    return typeof typed === "string" ? [typed] : [];
  } catch {
    return [];
  }
}
