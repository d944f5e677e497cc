import { open, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { ImagePart } from "../../record/parts.ts";

/** No provider accepts larger images. */
export const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

const BEGINNINGS: readonly (readonly [mediaType: string, beginning: string])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
];

const MAX_BEGINNING = 12;

/**
 * An image, recognized by its bytes and not by its file name; undefined if models do not accept it, or if it is too
 * large.
 */
export function imageOf(bytes: Uint8Array): ImagePart | undefined {
  if (bytes.byteLength > MAX_IMAGE_BYTES) return undefined;
  const beginning = String.fromCharCode(...bytes.subarray(0, MAX_BEGINNING));
  const isWebp = beginning.startsWith("RIFF") && beginning.endsWith("WEBP");
  const mediaType = isWebp
    ? "image/webp"
    : BEGINNINGS.find(([, begins]) => beginning.startsWith(begins))?.[0];
  if (mediaType === undefined) return undefined;
  return { type: "image", mediaType, data: Buffer.from(bytes).toString("base64") };
}

const IMAGE = /\.(?:png|jpe?g|gif|webp)$/iu;

/** A word as shells and terminals write a dragged file: in quotes, or with escaped spaces. */
const WORD = /'([^']*)'|"((?:[^"\\]|\\.)*)"|((?:\\.|[^\s'"\\])+)/gu;

const MAX_PASTE = 4096;

/** The paths in pasted text that consists only of paths of image files; empty for any other text. */
export function imagePaths(pasted: string): readonly string[] {
  const text = pasted.trim();
  if (text === "" || text.length > MAX_PASTE) return [];
  const words = [...text.matchAll(WORD)].map(([, single, double, bare]) =>
    plainPath(single ?? (double ?? bare ?? "").replaceAll(/\\(.)/gu, "$1")),
  );
  if (words.length > 0 && words.every((word) => IMAGE.test(word))) return words;
  return IMAGE.test(text) && !text.includes("\n") ? [plainPath(text)] : [];
}

function plainPath(word: string): string {
  if (!word.startsWith("file://")) return word;
  const path = word.slice("file://".length).replace(/^[^/]*/u, "");
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Reads the file at a pasted path; undefined if it does not exist or has more than `limit` bytes. */
export type ReadBytes = (path: string, limit: number) => Promise<Uint8Array | undefined>;

export const readLocalFile: ReadBytes = async (path, limit) => {
  try {
    // `homedir` throws for a user whom the system does not know.
    const place = path.startsWith("~/") ? resolve(homedir(), path.slice(2)) : resolve(path);
    return await readWhole(place, limit);
  } catch {
    return undefined;
  }
};

async function readWhole(place: string, limit: number): Promise<Uint8Array | undefined> {
  // Opening a FIFO would block.
  if (!(await stat(place)).isFile()) return undefined;
  const file = await open(place, "r");
  try {
    const { size } = await file.stat();
    return size > limit ? undefined : await file.readFile();
  } finally {
    await file.close();
  }
}

/** Keys wait until the image is read, so a disk that does not answer must not block them for long. */
const READ_MS = 1_000;

/** The images at the paths; undefined if one of them is not an image, cannot be read, or takes too long. */
export async function readImages(
  paths: readonly string[],
  readBytes: ReadBytes,
): Promise<readonly ImagePart[] | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), READ_MS);
  });
  const read = Promise.all(paths.map(async (path) => readBytes(path, MAX_IMAGE_BYTES)));
  const bytes = await Promise.race([read.catch(() => undefined), late]);
  clearTimeout(timer);
  const images = bytes?.flatMap((some) => (some === undefined ? [] : (imageOf(some) ?? [])));
  return images?.length === paths.length ? images : undefined;
}
