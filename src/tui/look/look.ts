import type { Strings } from "../../strings/strings.ts";

/** Determines how everything is drawn: strings, colors, and symbols. */
export interface Look {
  readonly strings: Strings;
  readonly paint: Paint;
  readonly glyphs: Glyphs;
  /**
   * The current time in milliseconds since 1970, for text that says how long something takes or how long ago it was.
   */
  readonly now: number;
}

/**
 * A brush for each meaning that text can have. The theme decides what each brush looks like. Without colors, the
 * brushes still differ where the difference matters.
 */
export interface Paint {
  readonly accent: Brush;
  readonly strong: Brush;
  readonly dim: Brush;
  readonly good: Brush;
  readonly bad: Brush;
  readonly warning: Brush;
  readonly added: Brush;
  readonly removed: Brush;
  readonly heading: Brush;
  readonly code: Brush;
  readonly link: Brush;
  readonly quote: Brush;
  readonly italic: Brush;
  readonly underline: Brush;
  readonly strike: Brush;
  /** Paints the chosen row. */
  readonly chosen: Brush;
  /** Paints the user's prompts. */
  readonly said: Brush;
  readonly border: Brush;
  /** Returns the brush for a part of code, by its highlight.js name, such as "keyword" or "string". */
  readonly token: (scope: string) => Brush;
}

export type Brush = (text: string) => string;

export interface Glyphs {
  readonly prompt: string;
  readonly bullet: string;
  readonly done: string;
  readonly failed: string;
  readonly open: string;
  readonly doing: string;
  readonly folded: string;
  readonly unfolded: string;
  readonly chosen: string;
  readonly back: string;
  readonly ellipsis: string;
  readonly horizontal: string;
  readonly vertical: string;
  readonly corners: readonly [topLeft: string, topRight: string, bottomLeft: string, bottomRight: string];
  readonly tee: string;
  readonly elbow: string;
  readonly full: string;
  readonly empty: string;
  readonly spinner: readonly string[];
}

/** The space available for drawing. */
export interface Space {
  readonly width: number;
  readonly rows: number;
}
