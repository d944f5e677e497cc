import { fileURLToPath } from "node:url";
import { expect } from "vitest";

interface Shown {
  settled(): Promise<readonly string[]>;
}

/** Patterns that differ from run to run. Replacements keep the width wherever possible. */
const VARYING: readonly (readonly [what: RegExp, instead: (found: string) => string])[] = [
  // Temporary folders.
  [/(?:\/[\w.-]+)*\/worldline-terminal-\w+/gu, () => "<root>"],
  // Ids of sessions, entries and snapshots. A word of ours that looks like an id is the same in every run, so
  // replacing it does no harm.
  [
    /\b(?!backtracks\b)(?=\d*[a-z])(?:[0-9a-hjkmnp-tv-z]{10}|[0-9a-hjkmnp-tv-z]{12})\b/gu,
    (found) => "i".repeat(found.length),
  ],
  [/\b\d{4}-\d{2}-\d{2}\b/gu, () => "2000-01-01"],
  [/\b\d{1,2}:\d{2}(?::\d{2})?\b/gu, (found) => found.replaceAll(/\d/gu, "0")],
  [/127\.0\.0\.1:\d+/gu, () => "127.0.0.1:port"],
  // The context includes the path of the workspace, whose length varies between machines.
  [/(?<=· )[\d.,]+k?(?= context\b)|(?<=· 上下文 )[\d.,]+k?(?! ?%)/gu, () => "0"],
  // Token estimates also count ids.
  [/[\d,]{2,}(?= (?:to|tokens?|个 token)\b)/gu, (found) => found.replaceAll(/\d/gu, "0")],
  [/about [\d,]{2,}|(?<=entries, )[\d,]{2,}$/gu, (found) => found.replaceAll(/\d/gu, "0")],
  [/(?:减为|压缩时) ?[\d,]{2,}/gu, (found) => found.replaceAll(/\d/gu, "0")],
  // Durations and ages.
  [/\b\d+(?:\.\d+)? ?(?:ms|s)\b/gu, () => "0s"],
  [/\b\d+(?:\.\d+)? ?(?:毫秒|秒)/gu, () => "0秒"],
  [/\bjust now\b|\b0s ago\b/gu, () => "just now"],
  [/刚刚|0秒前/gu, () => "刚刚"],
  [/[\u2801-\u28ff]/gu, () => "\u2800"],
];

/** A screen without the parts that vary between runs. */
export function comparable(screen: readonly string[]): string {
  const varying = (line: string): string =>
    withoutColumns(VARYING.reduce((text, [what, instead]) => text.replaceAll(what, instead), line)).trimEnd();
  return `${screen.map(varying).join("\n").trimEnd()}\n`;
}

/** A time column is as wide as its longest entry, so everything to its right moves from run to run. */
function withoutColumns(line: string): string {
  return /just now|刚刚/u.test(line)
    ? line.replaceAll(/(just now|刚刚) +/gu, "$1 ").replaceAll(/ {3,}/gu, "   ")
    : line;
}

/** Compares the settled screen with golden/<name>.txt; `vitest -u` updates it. */
export async function expectScreen(shown: Shown, name: string): Promise<void> {
  const golden = fileURLToPath(new URL(`../golden/${name}.txt`, import.meta.url));
  await expect(comparable(await shown.settled())).toMatchFileSnapshot(golden);
}
