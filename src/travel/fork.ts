import { branchOf } from "../timeline/branch.ts";
import type { Outline } from "../timeline/outline.ts";
import type { Journey } from "./journey.ts";
import { requireCheckpoint, requireHead } from "./rewind.ts";

/** Decides a fork: which lines the new session begins with. The source stays as it is. */
export function planFork(outline: Outline, at: number | undefined): Journey {
  const place = at === undefined ? requireHead(outline) : requireCheckpoint(outline, at);
  const lines = branchOf(outline, place)
    // The new session has a first line of its own, and files of its own.
    .filter((row) => row.kind !== "session" && row.kind !== "rotated")
    .map((row) => row.seq);
  return { reason: "fork", moves: [{ do: "copy", lines, place: place.id }] };
}
