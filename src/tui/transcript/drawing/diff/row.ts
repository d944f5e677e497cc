import type { Hunk } from "./hunk.ts";

/** A line of a diff, or two that stand for each other. */
export interface DiffRow {
  readonly before?: Side;
  readonly after?: Side;
  /** Where the two are drawn one below the other: which of them this is. */
  readonly only?: "before" | "after";
}

export interface Side {
  /** 0 where nobody knows it. */
  readonly number: number;
  readonly text: string;
  readonly sign: "+" | "-" | " ";
}

/** Lines that were taken away stand beside those that came for them. */
export function rowsOf({ before, after, lines }: Hunk): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  const next = { before, after };
  const numbered = (which: "before" | "after"): number => (next[which] === 0 ? 0 : next[which]++);
  let removed: Side[] = [];
  let added: Side[] = [];
  const settle = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      const [gone, come] = [removed[at], added[at]];
      rows.push({
        ...(gone === undefined ? {} : { before: gone }),
        ...(come === undefined ? {} : { after: come }),
      });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith("-")) {
      if (added.length > 0) settle();
      removed.push({ number: numbered("before"), text, sign: "-" });
    } else if (line.startsWith("+")) added.push({ number: numbered("after"), text, sign: "+" });
    else {
      settle();
      rows.push({
        before: { number: numbered("before"), text, sign: " " },
        after: { number: numbered("after"), text, sign: " " },
      });
    }
  }
  settle();
  return rows;
}
