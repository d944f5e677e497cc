import { entryTree, type TreeNode } from "../../src/app/queries/entry-tree.ts";
import { table } from "../../src/show/table.ts";
import { shortened } from "../../src/show/text-width.ts";
import { type Drawing, nodeText } from "../../src/show/tree.ts";
import type { Strings } from "../../src/strings/strings.ts";
import { changesOfMind, deadEnd, forked, killed, proveWhole, torn } from "./acts.ts";
import { type Claim, openStoryStage, Performance, type StoryStage } from "./performance.ts";

/** The story: its acts, the tree of the session at its end, and what was checked. */
interface PlayedStory {
  readonly acts: readonly string[];
  readonly nodes: readonly TreeNode[];
  readonly claims: readonly Claim[];
}

/** Plays the story in a temporary folder. */
export async function playStory(strings: Strings, cancelled: AbortSignal): Promise<PlayedStory> {
  // With a listener, an interrupt does not end the process immediately, which leaves time to remove the stage.
  const heard = () => undefined;
  cancelled.addEventListener("abort", heard);
  const stage = openStoryStage();
  try {
    return await play(stage, strings, cancelled);
  } finally {
    stage.remove();
    cancelled.removeEventListener("abort", heard);
  }
}

async function play(stage: StoryStage, strings: Strings, cancelled: AbortSignal): Promise<PlayedStory> {
  const performance = await Performance.begin({ stage, strings: strings.story, cancelled });
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
  const { acts, claims } = performance;
  return { acts, nodes, claims };
}

interface StoryParts extends Pick<PlayedStory, "acts" | "claims"> {
  /** The drawn tree of the session. */
  readonly tree: readonly string[];
}

export function storyText(
  { acts, tree, claims }: StoryParts,
  look: Drawing,
  strings: Strings["story"],
): string[] {
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
