/** A code fence that is open. */
export interface Fence {
  readonly sign: string;
  readonly length: number;
  /** "" where none is named. */
  readonly language: string;
}

const FENCE = /^\s*(`{3,}|~{3,})(.*)$/u;

/** The fence that is open behind a line, given the one that was open before it. */
export function fenceAfter(before: Fence | undefined, line: string): Fence | undefined {
  const match = FENCE.exec(line);
  if (match === null) return before;
  const [, signs = "", rest = ""] = match;
  const sign = signs.charAt(0);
  if (before !== undefined) {
    const closes = sign === before.sign && signs.length >= before.length && rest.trim() === "";
    return closes ? undefined : before;
  }
  if (sign === "`" && rest.includes("`")) return undefined;
  return { sign, length: signs.length, language: rest.trim().split(/\s/u)[0] ?? "" };
}

/** The fence that is open at the end of a text that begins inside of one, or of none. */
export function fenceAtEnd(text: string, start: Fence | undefined): Fence | undefined {
  let fence = start;
  for (const line of text.split("\n")) fence = fenceAfter(fence, line);
  return fence;
}
