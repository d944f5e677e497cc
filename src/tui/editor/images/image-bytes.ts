import type { ImagePart } from "../../../record/parts.ts";

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
