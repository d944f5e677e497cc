import { en } from "../../../src/strings/en.ts";
import type { Strings } from "../../../src/strings/strings.ts";
import type { Look, Paint } from "../../../src/tui/look/look.ts";
import { glyphsFor } from "../../../src/tui/look/theme.ts";

const bare = (text: string): string => text;

/** No colors, so that a test compares the text that the user reads. */
const plainPaint: Paint = {
  accent: bare,
  strong: bare,
  dim: bare,
  good: bare,
  bad: bare,
  warning: bare,
  added: bare,
  removed: bare,
  heading: bare,
  code: bare,
  link: bare,
  quote: bare,
  italic: bare,
  underline: bare,
  strike: bare,
  chosen: bare,
  said: bare,
  border: bare,
  token: () => bare,
};

export function plainLook(strings: Strings = en, now = 0): Look {
  return { strings, now, paint: plainPaint, glyphs: glyphsFor({ LANG: "en_US.UTF-8" }) };
}
