import { createHash } from "node:crypto";
import { accessSync, constants, type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { heldFolders } from "../../../disk/held-folder.ts";
import { pathOfText } from "../../../record/files.ts";
import { faultText, lookAt, openFile } from "../files/look.ts";
import { placeOf, shownPath } from "../files/places.ts";
import type { SeenFiles } from "../files/seen-files.ts";

/** What Write and Edit stand on. */
export interface WriteOptions {
  readonly workspace: string;
  readonly seen: SeenFiles;
}

/** The file that is to be written, as it is now. */
export interface Target {
  /** Where it really is. */
  readonly place: string;
  /** As the model is told of it. */
  readonly shown: string;
  /** Absent where none is yet. */
  readonly before?: Before;
}

export interface Before {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly stats: Stats;
}

export interface Refusal {
  readonly refused: string;
}

const MOST_BYTES = 50_000_000;

/** Looks at what a path leads to, without asking whether the model knows it. */
export async function targetOf(workspace: string, path: string): Promise<Target | Refusal> {
  const place = await placeOf(workspace, path);
  const shown = shownPath(workspace, place);
  const look = await lookAt(place);
  if (look.kind === "missing") return { place, shown };
  if (look.kind === "folder") return { refused: `${shown} is a folder.` };
  if (look.kind === "unusable") return { refused: `${shown} cannot be written: ${look.why}.` };
  if (look.stats.size > MOST_BYTES) {
    return { refused: `${shown} is larger than 50 MB. Change it with a command, by Bash.` };
  }
  try {
    return { place, shown, before: await load(place) };
  } catch (error) {
    return { refused: `${shown} cannot be read: ${faultText(error)}.` };
  }
}

/**
 * The same, refused where the model would overwrite what it does not know, or where the path leads elsewhere than to `places`,
 * which the call was allowed to write.
 */
export async function knownTarget(
  { workspace, seen }: WriteOptions,
  path: string,
  places?: readonly string[],
): Promise<Target | Refusal> {
  const target = await targetOf(workspace, path);
  if ("refused" in target) return target;
  if (places !== undefined && !places.includes(target.place))
    return {
      refused: `${path} leads elsewhere than when it was asked about. Look where it leads, and try again.`,
    };
  if (target.before === undefined) return target;
  const { place, shown, before } = target;
  const known = await seen.shaOf(place);
  if (known === undefined) {
    return { refused: `${shown} is there, but you have not read it in this conversation. Read it first.` };
  }
  if (known !== before.sha256) {
    return { refused: `${shown} has changed since you read it. Read it again, then change it.` };
  }
  if (!isWritable(place)) return { refused: `${shown} is read-only. Change its mode first, by Bash.` };
  return target;
}

async function load(place: string): Promise<Before> {
  let file: FileHandle | undefined;
  try {
    file = await openFile(place);
    const stats = await file.stat();
    const bytes = await file.readFile();
    return { bytes, stats, sha256: sha256Of(bytes) };
  } finally {
    await file?.close();
  }
}

function isWritable(place: string): boolean {
  try {
    heldFolders.look(pathOfText(place), (at) => accessSync(at, constants.W_OK));
    return true;
  } catch {
    return false;
  }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The text of a file; undefined where its bytes are no UTF-8, and writing it back would change them. */
export function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
