import { WorldlineError } from "../../record/error.ts";
import type { Journey } from "../../travel/journey.ts";
import type { Placed } from "../writing/stamp.ts";

/** The entries that a journey writes. A copy needs another session. What becomes of files is planned apart. */
export function appendsOf(journey: Journey): readonly Placed[] {
  return journey.moves.map((move) => {
    switch (move.do) {
      case "append":
        return { draft: move.body, parent: move.parent };
      case "copy":
        throw new WorldlineError("journey-move", { journey: journey.reason, move: move.do });
      default:
        return move satisfies never;
    }
  });
}
