import type { Look } from "../../look/look.ts";

/** How much of a block is drawn, and in what room. */
export interface Layout {
  readonly width: number;
  readonly folds: "folded" | "unfolded";
  /** Absent: "normal". */
  readonly detail?: Detail;
  /** What is shown of a backtrack. */
  readonly display: "card" | "line" | "off";
  /** Paths in it are shown from there. */
  readonly workspace?: string;
}

/** "quiet": what is said, and a line for each call. "verbose" unfolds everything, and is drawn as such. */
export type Detail = "quiet" | "normal" | "verbose";

/** What every drawing needs. */
export interface Canvas extends Layout {
  readonly look: Look;
}
