import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { planForget } from "../../machine/forget/plan-forget.ts";
import { checkForgetRequest, type ForgetRequest } from "../../machine/forget/request.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { ForgettableFiles } from "../../ports/snapshot-objects.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { currentFolder } from "../places/workspace.ts";

/** The text or file that the user named, exactly as it was given. */
export interface GivenToForget {
  readonly argument: string | undefined;
  readonly text: string | undefined;
  readonly path: string | undefined;
  /** Reads a secret from standard input. */
  readonly readPiped: (maxBytes: number) => Promise<Buffer>;
}

/** The store and the home folder that are searched. */
export interface Searched {
  readonly store: LogStore;
  readonly files: ForgettableFiles;
}

const MAX_BYTES = 1024 * 1024;
const MAX_PATH_LENGTH = 4096;

/**
 * Interprets the user's request to forget something. A bare argument is treated as text to forget. If the argument
 * could also be a file name, the user must specify which is meant, because forgetting text and forgetting a file remove
 * different data. Neither removal can be undone.
 */
export async function readForgetRequest(
  context: AppContext,
  searched: Searched,
  given: GivenToForget,
): Promise<ForgetRequest> {
  const { argument, text, path } = given;
  const named = [argument, text, path].filter((each) => each !== undefined);
  if (named.length !== 1) throw new WorldlineError("one-thing-to-forget", { count: named.length });
  if (path !== undefined) return checkForgetRequest({ what: "path", path: pathFrom(context, path) });
  if (text !== undefined) return checkForgetRequest({ what: "text", text });
  if (argument === "-") return checkForgetRequest({ what: "text", text: await secretFromPipe(given) });
  const wanted = argument ?? "";
  // The error does not repeat the argument, which may be a secret.
  if (wanted.trim() !== "" && (await mayBeFile(context, searched, wanted))) {
    throw new WorldlineError("file-or-text", {});
  }
  return checkForgetRequest({ what: "text", text: wanted });
}

/** Resolves the path relative to the current folder. An empty path stays empty, so that it is refused. */
function pathFrom({ surroundings }: AppContext, path: string): string {
  return path.trim() === "" ? "" : resolve(currentFolder(surroundings.cwd), path);
}

/** Reads the secret without the line break that `echo` and editors add at the end. */
async function secretFromPipe({ readPiped }: GivenToForget): Promise<string> {
  const bytes = await readPiped(MAX_BYTES);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/u, "");
  } catch (cause) {
    throw new WorldlineError("secret-not-utf8", {}, { cause });
  }
}

/**
 * Checks whether the file exists, a tool call names it, or a snapshot contains it. The user may mean a deleted file.
 */
async function mayBeFile(context: AppContext, searched: Searched, argument: string): Promise<boolean> {
  if (argument.length > MAX_PATH_LENGTH || /[\n\0]/u.test(argument)) return false;
  const places = [currentFolder(context.surroundings.cwd), await context.workspace()].map((folder) =>
    resolve(folder, argument),
  );
  for (const path of new Set(places)) {
    if ((await stat(path).catch(() => undefined)) !== undefined) return true;
    if (/[./\\]/u.test(argument) && (await isKnown(searched, path))) return true;
  }
  return false;
}

async function isKnown({ store, files }: Searched, path: string): Promise<boolean> {
  try {
    const plan = await planForget(store, { what: "path", path }, files);
    return plan.findings.length + plan.files.contents > 0;
  } catch (error) {
    if (isWorldlineError(error, "INPUT_INVALID")) return true;
    throw error;
  }
}
