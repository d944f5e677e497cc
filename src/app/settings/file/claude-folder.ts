import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { WorldlineError } from "../../../record/error.ts";
import { readBytes } from "./settings-files.ts";

/** What a workspace says to the Claude Agent SDK: it can run programs, as hooks do. */
export interface ClaudeFolder {
  readonly path: string;
  /** What of it is there. */
  readonly names: readonly string[];
  /** Of those that are settings, what they say; what cannot be read says nothing, also not to the SDK. */
  readonly contents: readonly Uint8Array[];
}

const SETTINGS = ["settings.json", "settings.local.json"] as const;
/** Trusted by being there: what is in them runs only when the agent calls for it. */
const OTHERS = ["agents", "commands", "skills"] as const;

/** The workspace's `.claude`; nothing where there is nothing in it that could do anything. */
export async function readClaudeFolder(workspace: string): Promise<ClaudeFolder | undefined> {
  const path = join(workspace, ".claude");
  const all = [...SETTINGS, ...OTHERS];
  const there = await Promise.all(all.map(async (name) => isThere(join(path, name))));
  const names = all.filter((_, index) => there[index] === true);
  if (names.length === 0) return undefined;
  return {
    path,
    names,
    contents: await Promise.all(SETTINGS.map(async (name) => contentOf(join(path, name)))),
  };
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function contentOf(path: string): Promise<Uint8Array> {
  try {
    return (await readBytes(path)) ?? new Uint8Array();
  } catch (error) {
    if (error instanceof WorldlineError) return new Uint8Array();
    throw error;
  }
}
