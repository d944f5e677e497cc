import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { SnapshotGround } from "../ground.ts";
import { Forgotten, type WhyGone } from "./forget-objects.ts";

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
    throw why === undefined ? error : gone(why, error);
  }
}

const WORDS: Readonly<Record<WhyGone, { readonly message: string; readonly hint: string }>> = {
  forgotten: {
    message: "What was in this file was forgotten.",
    hint: "It was let go for good with `worldline forget`.",
  },
  "not-in-bundle": {
    message: "What was in this file was not in the bundle that its snapshot came from.",
    hint: "Ignored files are in a bundle only when they are asked for: worldline sessions export --include-ignored",
  },
};

function gone(why: WhyGone, cause: WorldlineError): WorldlineError {
  const { message, hint } = WORDS[why];
  return new WorldlineError("SNAPSHOT_MISSING", message, { hint, cause });
}
