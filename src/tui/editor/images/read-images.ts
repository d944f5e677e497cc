import type { ImagePart } from "../../../record/parts.ts";
import { imageOf, MOST_IMAGE_BYTES } from "./image-bytes.ts";
import type { ReadBytes } from "./read-local-file.ts";

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
