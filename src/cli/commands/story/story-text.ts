import { table } from "../../../show/table.ts";
import type { Drawing } from "../../../show/tree-drawing.ts";
import { shortened } from "../../../record/width.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Claim } from "./performance.ts";

interface Played {
  readonly acts: readonly string[];
  readonly tree: readonly string[];
  readonly claims: readonly Claim[];
}

export function storyText(played: Played, look: Drawing, strings: Strings["story"]): string[] {
  const { acts, tree, claims } = played;
  const { glyphs, style, columns } = look;
  const holding = claims.filter(({ holds }) => holds).length;
  const rows = table(claims.map(({ claim, found, holds }) => [holds ? glyphs.yes : glyphs.no, claim, found]));
  return [
    style.bold(strings.title),
    strings.scripted,
    "",
    ...acts.map((act, index) =>
      shortened(`${String(index + 1).padStart(2)}  ${act}`, columns, glyphs.ellipsis),
    ),
    "",
    style.bold(strings.treeTitle),
    ...tree.map((line) => `  ${line}`),
    "",
    style.bold(strings.proofTitle),
    ...rows.map((row, index) => `  ${claims[index]?.holds === false ? style.red(row) : row}`),
    "",
    strings.outcome(holding, claims.length),
  ];
}
