import type { Strings } from "../../strings/strings.ts";

/** How things are drawn: words, colours and signs. */
export interface Look {
  readonly strings: Strings;
  readonly paint: Paint;
  readonly glyphs: Glyphs;
  /** Milliseconds since 1970: for what says how long it takes, or how long ago it was. */
  readonly now: number;
}

/** What a piece of text means; the theme says how that looks. Without colours all of them still differ where it matters. */
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
  /** The row that is chosen. */
  readonly chosen: Brush;
  /** What the user said. */
  readonly said: Brush;
  readonly border: Brush;
  /** Parts of code, as highlight.js names them: "keyword", "string". */
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

/** The room there is. */
export interface Space {
  readonly width: number;
  readonly rows: number;
}
