const HALF_OF_CHARACTER = { first: /[\ud800-\udbff]$/u, second: /^[\udc00-\udfff]/u } as const;

/** The text without its middle, and how much that was: how something ends often says more than how it went on. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, Math.ceil((most * 2) / 3)).replace(HALF_OF_CHARACTER.first, "");
  const end = text.slice(text.length - Math.floor(most / 3)).replace(HALF_OF_CHARACTER.second, "");
  return withGap(text, start, end);
}

/** As `shortened`, in whole lines where there are any, with `end` as the last words in any case. */
export function shortenedByLines(text: string, most: number, end: string): string {
  if (text.length <= most) return text;
  const to = text.lastIndexOf("\n", Math.ceil((most * 2) / 3));
  const from = text.indexOf("\n", text.length - Math.floor(most / 3));
  const start = text
    .slice(0, to === -1 ? Math.ceil((most * 2) / 3) : to)
    .replace(HALF_OF_CHARACTER.first, "");
  return withGap(text, start, from === -1 ? end : text.slice(from + 1));
}

function withGap(text: string, start: string, end: string): string {
  const left = (text.length - start.length - end.length).toLocaleString("en-US");
  return `${start}\n[${left} characters are left out here]\n${end}`;
}
