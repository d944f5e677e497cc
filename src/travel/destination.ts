import type { EntryId } from "../record/ids.ts";
import type { Outline } from "../timeline/outline.ts";
import { isCheckpoint, isSamePlace, type Row } from "../timeline/row.ts";
import { type JourneyEntry, journeyStates, redoScope } from "./redo.ts";

/** How the user can reach a particular place in the conversation. */
export type Destination =
  /** A rewind to this checkpoint. */
  | { readonly by: "rewind"; readonly to: number }
  /** A redo of this journey, which started from the place and captured the files there. */
  | { readonly by: "redo"; readonly journey: EntryId }
  /** No move is needed, because the head is already at the place. */
  | { readonly by: "staying" };

/** Determines how the user can reach each place. Use a single instance for all rows of a tree. */
export class Destinations {
  readonly #outline: Outline;
  readonly #childrenByLine = new Map<number, Row[]>();
  readonly #journeyByPlace = new Map<EntryId, JourneyEntry>();

  constructor(outline: Outline, journeys: readonly JourneyEntry[]) {
    this.#outline = outline;
    for (const row of outline.rows()) {
      const siblings = this.#childrenByLine.get(row.parent);
      if (siblings === undefined) this.#childrenByLine.set(row.parent, [row]);
      else siblings.push(row);
    }
    for (const { entry, state } of journeyStates(journeys)) {
      if (state === "open" && redoScope(entry, undefined) !== "files") {
        this.#journeyByPlace.set(entry.from, entry);
      }
    }
  }

  /** How to reach the place; undefined if neither a checkpoint nor a journey leads to exactly this place. */
  of(place: Row): Destination | undefined {
    if (isCheckpoint(place)) return { by: "rewind", to: place.number };
    const same = [place];
    for (let row = same.shift(); row !== undefined; row = same.shift()) {
      if (row.seq === this.#outline.head?.seq) return { by: "staying" };
      if (isCheckpoint(row)) return { by: "rewind", to: row.number };
      const journey = this.#journeyByPlace.get(row.id);
      if (journey !== undefined) return { by: "redo", journey: journey.id };
      const below = this.#childrenByLine.get(row.seq) ?? [];
      same.push(...below.filter((child) => isSamePlace(child) || isCheckpoint(child)));
    }
    return undefined;
  }

  /** The ends of abandoned branches, each with the journey that left the branch. */
  ends(): readonly { readonly row: Row; readonly journey: JourneyEntry }[] {
    return [...this.#journeyByPlace].flatMap(([id, journey]) => {
      const row = this.#outline.byId(id);
      return row === undefined || this.#childrenByLine.has(row.seq) ? [] : [{ row, journey }];
    });
  }
}
