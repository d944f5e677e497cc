import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { SnapshotGround } from "../ground.ts";
import { Forgotten } from "./forget-objects.ts";

/** A file's bytes. Where they are gone on purpose, SNAPSHOT_MISSING says so, and nobody looks for them. */
export function readContent(
  { objects, disk, places }: Pick<SnapshotGround, "objects" | "disk" | "places">,
  hash: ObjectHash,
): Buffer {
  try {
    return objects.get(hash, "content");
  } catch (error) {
    if (!isWorldlineError(error, "SNAPSHOT_MISSING")) throw error;
    const why = new Forgotten(disk, places.root).whyGone(hash);
    if (why === undefined) throw error;
    throw new WorldlineError(
      why === "forgotten" ? "content-forgotten" : "content-not-in-bundle",
      {},
      { cause: error },
    );
  }
}
