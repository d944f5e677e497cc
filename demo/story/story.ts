import { entryTree } from "../../src/app/queries/entry-tree.ts";
import { defineCommand } from "../../src/cli/command.ts";
import type { Frame } from "../../src/cli/frame.ts";
import { columnsOf } from "../../src/cli/output.ts";
import { glyphsFor } from "../../src/show/style.ts";
import { table } from "../../src/show/table.ts";
import { shortened } from "../../src/show/text-width.ts";
import { type Drawing, drawTree, nodeText } from "../../src/show/tree.ts";
import type { Strings } from "../../src/strings/strings.ts";
import { changesOfMind, deadEnd, forked, killed, proveWhole, torn } from "./acts.ts";
import { type Claim, openStoryStage, Performance, type StoryStage } from "./performance.ts";

export const story = defineCommand({
  help: (help) => help.story,
  run: async ({ frame }) => {
    const { cancelled } = frame.surroundings;
    // With a listener, an interrupt does not end the process immediately, which leaves time to remove the stage.
    const heard = () => undefined;
    cancelled.addEventListener("abort", heard);
    const stage = openStoryStage();
    try {
      return await play(frame, stage);
    } finally {
      stage.remove();
      cancelled.removeEventListener("abort", heard);
    }
  },
});

async function play(frame: Frame, stage: StoryStage): Promise<0 | 1> {
  const { output, strings, surroundings } = frame;
  const performance = await Performance.begin({
    stage,
    strings: strings.story,
    cancelled: surroundings.cancelled,
  });
  const { session } = performance;
  await deadEnd(performance);
  await changesOfMind(performance);
  const fork = await forked(performance);
  await session.close();
  await killed(performance, fork);
  await torn(performance, fork);
  await proveWhole(performance);

  const nodes = await entryTree(await stage.look(session.id), {
    rows: "main",
    text: (entry, at) => nodeText(entry, at, strings),
  });
  const glyphs = glyphsFor(surroundings.environment);
  const look = {
    glyphs,
    style: output.style,
    columns: columnsOf(surroundings.stdout) - 2,
    head: strings.looking.head,
  };
  const tree = drawTree(nodes, look);
  const { acts, claims } = performance;
  const document = {
    scripted: true,
    acts,
    tree: nodes.map(({ text, branch }) => ({ text, branch })),
    claims,
  };
  output.answer(document, () => storyText({ acts, claims, tree }, look, strings.story).join("\n"));
  return claims.every(({ holds }) => holds) ? 0 : 1;
}

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
