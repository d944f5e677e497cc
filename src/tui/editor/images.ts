import { open, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { ImagePart } from "../../record/parts.ts";

/** Maximum size of an image. Providers do not accept larger images. */
export const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

const BEGINNINGS: readonly (readonly [mediaType: string, beginning: string])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
];

const MAX_BEGINNING = 12;

/**
 * Recognizes an image by its bytes, not by its file name. Returns undefined if the image is too large or models do not
 * accept it.
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

/** Matches the path of a dragged file as terminals insert it: in quotes, or with escaped spaces. */
const WORD = /'([^']*)'|"((?:[^"\\]|\\.)*)"|((?:\\.|[^\s'"\\])+)/gu;

const MAX_PASTE = 4096;

/** Returns the paths in pasted text that consists only of image file paths, or an empty list for any other text. */
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

/** Reads the file at a pasted path. Returns undefined if the file does not exist or has more than `limit` bytes. */
export type ReadBytes = (path: string, limit: number) => Promise<Uint8Array | undefined>;

export const readLocalFile: ReadBytes = async (path, limit) => {
  try {
    // `homedir` throws if the system has no entry for the user.
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

/**
 * Maximum time for reading images. Keys wait until an image has been read, so a disk that does not respond must not
 * block them for long.
 */
const READ_MS = 1_000;

/**
 * Reads the images at the paths. Returns undefined if one of them is not an image, cannot be read, or takes too long.
 */
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
