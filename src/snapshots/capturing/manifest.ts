import { readWhole, replaceFile } from "../../disk/durable-files.ts";
import { errnoOf } from "../../record/error.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { CoverageLimits } from "../finding/coverage.ts";
import { manifestHeader } from "../finding/manifest.ts";
import type { SnapshotGround } from "../ground.ts";
import type { WorkspacePlaces } from "../places.ts";

/** What a manifest is true of; with another of these it says nothing. */
export interface ManifestHeader {
  readonly root: ObjectHash;
  readonly limits: CoverageLimits;
}

export interface ReadManifest {
  readonly root: ObjectHash;
  readonly bytes: Buffer;
}

/** The last capture's memory, or undefined when there is none that can be believed: then everything is looked at anew. */
export function readManifest(
  { disk, objects }: SnapshotGround,
  places: WorkspacePlaces,
  limits: CoverageLimits,
): ReadManifest | undefined {
  let bytes: Buffer;
  try {
    bytes = readWhole(disk, places.manifest);
  } catch (error) {
    // Only a cache: what cannot be read is not believed either.
    if (errnoOf(error) !== undefined) return undefined;
    throw error;
  }
  const header = headerOf(bytes);
  if (
    header === undefined ||
    JSON.stringify(header.limits) !== JSON.stringify(limits) ||
    !objects.has(header.root)
  )
    return undefined;
  return { root: header.root, bytes };
}

export function headerText(header: ManifestHeader): string {
  return JSON.stringify(header);
}

/** Not synced: after a loss of power it is damaged, and is then not believed. */
export function writeManifest(ground: SnapshotGround, places: WorkspacePlaces, bytes: Uint8Array): void {
  try {
    replaceFile(ground, { path: places.manifest, bytes, content: "unsynced" });
  } catch {
    // A cache: without it the next capture looks at everything, and loses nothing.
  }
}

/** The root folder that a manifest belongs to, which gc must not take from under it. */
export function rootOfManifest(bytes: Buffer): ObjectHash | undefined {
  return headerOf(bytes)?.root;
}

function headerOf(bytes: Buffer): ManifestHeader | undefined {
  const text = manifestHeader(bytes);
  // Only what we wrote passes its checksum, so its shape needs no second look.
  return text === undefined ? undefined : (JSON.parse(text) as ManifestHeader);
}
