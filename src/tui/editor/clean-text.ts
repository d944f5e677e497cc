const ESCAPE = "\x1b";
const COLOURS = new RegExp(`${ESCAPE}\\[[0-9;]*m`, "gu");

/** Colours come along with what is copied from a terminal. The sign that ends a paste must not stand inside of one. */
export function withoutColours(text: string): string {
  return text.replaceAll(COLOURS, "").replaceAll(`${ESCAPE}[201~`, "");
}

/** Nothing that a terminal would obey: what comes from the log or another program may hold anything. */
export function clean(text: string): string {
  return withoutColours(text).replaceAll(/[^\P{Cc}\n\t\r]/gu, "");
}
