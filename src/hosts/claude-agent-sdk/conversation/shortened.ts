const HALF_OF_CHARACTER = { first: /[\ud800-\udbff]$/u, second: /^[\udc00-\udfff]/u } as const;

/** The text without its middle, and how much that was: how something ends often says more than how it went on. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, Math.ceil((most * 2) / 3)).replace(HALF_OF_CHARACTER.first, "");
  const end = text.slice(text.length - Math.floor(most / 3)).replace(HALF_OF_CHARACTER.second, "");
  const left = (text.length - start.length - end.length).toLocaleString("en-US");
  return `${start}\n[${left} characters are left out here]\n${end}`;
}
