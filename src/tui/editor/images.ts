import { open, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type ImagePart, type Part, textOf, textPart } from "../../record/parts.ts";

/** What stands in the text for an image; the image itself is held beside it, by its number. */
export function imageMarker(number: number): string {
  return `[image #${number}]`;
}

const MARKER = /\[image #(\d+)\]/gu;

/** A number that neither an image nor a marker in the text has. */
export function freeImageNumber(text: string, images: ReadonlyMap<number, ImagePart>): number {
  return Math.max(0, ...images.keys(), ...markersIn(text)) + 1;
}

/** The text as it was typed, markers included, and after it the images that it names, in the order of their markers. */
export function partsOf(text: string, images: ReadonlyMap<number, ImagePart>): readonly Part[] {
  const named = markersIn(text).flatMap((number) => images.get(number) ?? []);
  return [textPart(text), ...named];
}

export interface TextAndImages {
  readonly text: string;
  readonly images: ReadonlyMap<number, ImagePart>;
}

/** A prompt as it can be edited again: each image has a marker, those that had none at the end. */
export function editable(content: string | readonly Part[]): TextAndImages {
  if (typeof content === "string") return { text: content, images: new Map() };
  const images = content.flatMap((part) => (part.type === "image" ? [part] : []));
  const text = textOf(content);
  const numbers = markersIn(text).slice(0, images.length);
  let next = freeImageNumber(text, new Map());
  while (numbers.length < images.length) numbers.push(next++);
  const added = numbers.map(imageMarker).filter((marker) => !text.includes(marker));
  const held = images.flatMap((image, index): (readonly [number, ImagePart])[] => {
    const number = numbers[index];
    return number === undefined ? [] : [[number, image]];
  });
  return { text: [text, ...added].filter((piece) => piece !== "").join(" "), images: new Map(held) };
}

/** Several texts as one, a blank line between them; a number that two of them use is changed in the later one. */
export function joined(pieces: readonly TextAndImages[]): TextAndImages {
  let images: ReadonlyMap<number, ImagePart> = new Map();
  const texts: string[] = [];
  for (const piece of pieces) {
    const renumbered = new Map<number, number>();
    let text = piece.text;
    for (const [number, image] of piece.images) {
      const taken = images.has(number) || renumbered.has(number);
      const free = taken ? freeImageNumber([...texts, piece.text].join("\n"), images) : number;
      renumbered.set(number, free);
      images = new Map([...images, [free, image]]);
    }
    text = text.replaceAll(MARKER, (marker, number: string) => {
      const to = renumbered.get(Number(number));
      return to === undefined ? marker : imageMarker(to);
    });
    texts.push(text);
  }
  return { text: texts.join("\n\n"), images };
}

function markersIn(text: string): number[] {
  return [...new Set([...text.matchAll(MARKER)].map(([, number]) => Number(number)))];
}

/** Above that no provider takes an image. */
export const MOST_IMAGE_BYTES = 10 * 1024 * 1024;

const BEGINNINGS: readonly (readonly [mediaType: string, beginning: string])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
];

const LONGEST_BEGINNING = 12;

/** By what the bytes are, not by the file's name; undefined where they are no image that models take, or too many. */
export function imageOf(bytes: Uint8Array): ImagePart | undefined {
  if (bytes.byteLength > MOST_IMAGE_BYTES) return undefined;
  const beginning = String.fromCharCode(...bytes.subarray(0, LONGEST_BEGINNING));
  const isWebp = beginning.startsWith("RIFF") && beginning.endsWith("WEBP");
  const mediaType = isWebp
    ? "image/webp"
    : BEGINNINGS.find(([, begins]) => beginning.startsWith(begins))?.[0];
  if (mediaType === undefined) return undefined;
  return { type: "image", mediaType, data: Buffer.from(bytes).toString("base64") };
}

const IMAGE = /\.(?:png|jpe?g|gif|webp)$/iu;
/** In quotes, or with escaped spaces: as shells and terminals write what is dragged into them. */
const WORD = /'([^']*)'|"((?:[^"\\]|\\.)*)"|((?:\\.|[^\s'"\\])+)/gu;
const LONGEST_PASTE = 4096;

/** The paths of image files that a pasted text is made of, and of nothing else; none where it is any other text. */
export function imagePaths(pasted: string): readonly string[] {
  const text = pasted.trim();
  if (text === "" || text.length > LONGEST_PASTE) return [];
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

/** Reads a file that a path was pasted of; undefined where there is none, or more of it than `limit` bytes. */
export type ReadBytes = (path: string, limit: number) => Promise<Uint8Array | undefined>;

export const readLocalFile: ReadBytes = async (path, limit) => {
  try {
    // Throws for a user whom the system does not know.
    const place = path.startsWith("~/") ? resolve(homedir(), path.slice(2)) : resolve(path);
    return await readWhole(place, limit);
  } catch {
    return undefined;
  }
};

async function readWhole(place: string, limit: number): Promise<Uint8Array | undefined> {
  // A FIFO would hold whoever opens it.
  if (!(await stat(place)).isFile()) return undefined;
  const file = await open(place, "r");
  try {
    const { size } = await file.stat();
    return size > limit ? undefined : await file.readFile();
  } finally {
    await file.close();
  }
}

/** Keys wait for what is read: a disk that does not answer must not hold them for long. */
const READ_MS = 1_000;

/** Undefined where one of them is no image, cannot be read, or takes too long. */
export async function readImages(
  paths: readonly string[],
  readBytes: ReadBytes,
): Promise<readonly ImagePart[] | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), READ_MS);
  });
  const read = Promise.all(paths.map(async (path) => readBytes(path, MOST_IMAGE_BYTES)));
  const bytes = await Promise.race([read.catch(() => undefined), late]);
  clearTimeout(timer);
  const images = bytes?.flatMap((some) => (some === undefined ? [] : (imageOf(some) ?? [])));
  return images?.length === paths.length ? images : undefined;
}
