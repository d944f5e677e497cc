import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { currentFolder } from "../../../../app/places/workspace.ts";
import { planForget } from "../../../../machine/forget/plan-forget.ts";
import { checkForgetRequest, type ForgetRequest } from "../../../../machine/forget/request.ts";
import type { LogStore } from "../../../../ports/log-store.ts";
import type { ForgettableFiles } from "../../../../ports/snapshot-objects.ts";
import { isWorldlineError, WorldlineError } from "../../../../record/error.ts";
import type { Frame } from "../../../frame.ts";
import { readStandardInput } from "../../../standard-input.ts";

export interface Given {
  readonly argument: string | undefined;
  readonly text: string | undefined;
  readonly path: string | undefined;
}

/** Where it is looked for. */
export interface Searched {
  readonly store: LogStore;
  readonly files: ForgettableFiles;
}

const MOST_BYTES = 1024 * 1024;
const LONGEST_PATH = 4096;

/**
 * What the person wants forgotten. A bare argument is a text, unless it may as well be a file: then the
 * person has to say which, because the two forget different things and neither can be undone.
 */
export async function wishOf(frame: Frame, searched: Searched, given: Given): Promise<ForgetRequest> {
  const { argument, text, path } = given;
  const named = [argument, text, path].filter((each) => each !== undefined);
  if (named.length !== 1) throw oneThing(named.length);
  if (path !== undefined) return checkForgetRequest({ what: "path", path: pathFrom(frame, path) });
  if (text !== undefined) return checkForgetRequest({ what: "text", text });
  if (argument === "-") return checkForgetRequest({ what: "text", text: await secretFromPipe(frame) });
  const wanted = argument ?? "";
  if (wanted.trim() !== "" && (await mayBeFile(frame, searched, wanted))) throw ambiguous();
  return checkForgetRequest({ what: "text", text: wanted });
}

/** Relative to where the person stands; an empty one stays empty, to be refused. */
function pathFrom({ surroundings }: Frame, path: string): string {
  return path.trim() === "" ? "" : resolve(currentFolder(surroundings.cwd), path);
}

/** `echo` and editors end what they write with a line break, which is no part of the secret. */
async function secretFromPipe(frame: Frame): Promise<string> {
  const bytes = await readStandardInput(frame, { maxBytes: MOST_BYTES, piped: "secret" });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/u, "");
  } catch (cause) {
    throw new WorldlineError("secret-not-utf8", {}, { cause });
  }
}

/** It is there, a tool call names it, or a snapshot has it: a file that is gone may be what is to be forgotten. */
async function mayBeFile(frame: Frame, searched: Searched, argument: string): Promise<boolean> {
  if (argument.length > LONGEST_PATH || /[\n\0]/u.test(argument)) return false;
  const places = [currentFolder(frame.surroundings.cwd), await frame.workspace()].map((folder) =>
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

function oneThing(count: number): WorldlineError {
  return new WorldlineError("one-thing-to-forget", { count });
}

/** Without repeating the argument: it may be a secret after all. */
function ambiguous(): WorldlineError {
  return new WorldlineError("file-or-text", {});
}
