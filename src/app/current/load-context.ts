import { open, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, relative, resolve } from "node:path";
import { grantsOn } from "../../agent/agent-context.ts";
import { decide } from "../../agent/permissions/decide.ts";
import { readInstructions } from "../../agent/system-prompt.ts";
import { WorldlineError } from "../../record/error.ts";
import { textPart } from "../../record/parts.ts";
import { LOAD_TOOL, newPersonCall } from "../../timeline/calls.ts";
import { loadedNotice } from "../../timeline/context/notices.ts";
import { estimateTokens } from "../../timeline/token-estimate.ts";
import type { OnProgress } from "../journeys/journey-types.ts";
import { systemCode } from "../places/home.ts";
import type { CurrentAgent } from "./current-session.ts";
import { progressOptions } from "./travel.ts";
import type { LoadedContext } from "./upkeep.ts";

const MAX_BYTES = 256 * 1024;

export interface LoadRequest {
  /** If undefined, the workspace's current instructions are loaded. */
  readonly path: string | undefined;
  readonly window: number;
}

/**
 * Adds a file to the conversation as a tool call by the user. First makes a checkpoint, so that /undo can remove the
 * file from the conversation. Then logs the call with its result and a notice for the model. Logs nothing if the file
 * cannot be used.
 */
export async function loadContext(
  { opened, agent, rules, context }: CurrentAgent,
  { path, window }: LoadRequest,
  progress: OnProgress | undefined,
): Promise<LoadedContext> {
  const { session, deps } = opened;
  const { workspace } = agent;
  const file = await wantedFile(workspace, path, context.surroundings.environment["HOME"] ?? homedir());
  const shown = shownPath(workspace, file);
  const real = await realpath(file).catch(() => file);
  for (const place of new Set([file, real])) {
    const subjects = [{ kind: "path", path: place, access: "read" }] as const;
    const granted = await grantsOn(session);
    // A rule that would ask the user is treated as allowing the call, because the user has just typed the path. A deny
    // rule still applies.
    const decision = decide({
      tool: "Read",
      reach: "reads",
      subjects,
      mode: agent.mode,
      rules,
      workspace,
      granted,
    });
    if (decision.decision === "deny") {
      throw new WorldlineError("file-denied", { path: shown, because: decision.reason });
    }
  }
  const text = await readText(file, shown);
  const tokens = estimateTokens(text);
  const free = window - session.tokenCount;
  if (window > 0 && tokens >= free) {
    throw new WorldlineError("file-larger-than-context", { path: shown, tokens, free: Math.max(0, free) });
  }
  await session.checkpoint(undefined, progressOptions(progress));
  const call = newPersonCall((count) => deps.clock.random(count));
  await session.toolStart(call, LOAD_TOOL, { input: { file_path: shown } });
  const notice = loadedNotice({ file: shown, text, what: path === undefined ? "instructions" : "file" });
  await session.write([
    { draft: { kind: "tool-end", call, outcome: "ok", parts: [textPart(text)] } },
    { draft: { kind: "notice", text: notice } },
  ]);
  return { file: shown, tokens };
}

async function wantedFile(workspace: string, path: string | undefined, home: string): Promise<string> {
  if (path !== undefined) {
    return path.startsWith("~/") ? resolve(home, path.slice(2)) : resolve(workspace, path);
  }
  const instructions = await readInstructions(workspace);
  if (instructions !== undefined) return resolve(workspace, instructions.file);
  throw new WorldlineError("no-instructions-to-load", {});
}

function shownPath(workspace: string, file: string): string {
  const inside = relative(workspace, file);
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? file : inside;
}

async function readText(file: string, shown: string): Promise<string> {
  const bytes = await readWhole(file, shown);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) {
      if (text.trim() === "") throw new WorldlineError("file-empty", { path: shown });
      return text;
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw new WorldlineError("file-to-load-not-text", { path: shown });
}

async function readWhole(file: string, shown: string): Promise<Uint8Array> {
  try {
    const there = await stat(file);
    // Reading a FIFO would wait until another program writes to it.
    if (!there.isFile()) {
      const is = there.isDirectory() ? "directory" : "other";
      throw new WorldlineError("file-to-load-no-file", { path: shown, is });
    }
    if (there.size > MAX_BYTES) {
      throw new WorldlineError("file-too-large-to-load", {
        path: shown,
        bytes: there.size,
        most: MAX_BYTES,
      });
    }
    const handle = await open(file, "r");
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || error instanceof WorldlineError) throw error;
    if (code === "ENOENT") throw new WorldlineError("file-to-load-missing", { path: shown });
    throw new WorldlineError("file-to-load-unreadable", { path: shown, code });
  }
}
