import type { PathBytes } from "../../record/files.ts";
import type { Found } from "../finding/findings.ts";

const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_FILES = 128;

/** Files in portions that take about the same time; whoever is free takes the next, so that all finish together. */
export function* batchesOf(files: readonly Found[]): Generator<readonly Found[]> {
  let batch: Found[] = [];
  let bytes = 0;
  for (const file of files) {
    batch.push(file);
    bytes += file.size;
    if (bytes < BATCH_BYTES && batch.length < BATCH_FILES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

const SHARES = 24;

/** Folders in portions, for whoever is free; neighbours stay together. */
export function* sharesOf(folders: readonly PathBytes[]): Generator<readonly PathBytes[]> {
  const length = Math.ceil(folders.length / SHARES);
  for (let at = 0; at < folders.length; at += length) yield folders.slice(at, at + length);
}
