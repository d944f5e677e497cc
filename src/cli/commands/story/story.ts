import { columnsOf } from "../../output/columns.ts";
import { glyphsFor } from "../../../show/glyphs.ts";
import { sessionTree } from "../../../show/session-tree.ts";
import { drawTree } from "../../../show/tree-drawing.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { killed, torn } from "./accidents.ts";
import { changesOfMind } from "./changes-of-mind.ts";
import { deadEnd } from "./dead-end.ts";
import { forked } from "./forked.ts";
import { Performance } from "./performance.ts";
import { proveWhole } from "./proof.ts";
import { openStage, type Stage } from "./stage.ts";
import { storyText } from "./story-text.ts";

export const story = defineCommand({
  description:
    "Plays a scripted story on a real timeline in a temporary folder: a dead end and a backtrack, a compaction, a " +
    "rewind, a redo, a fork, a killed process, a torn line. Then draws the tree and checks each claim against the " +
    "files; exits with 1 if one does not hold. No model is called and nothing of yours is touched.",
  examples: [
    { command: "worldline story", meaning: "play it" },
    {
      command: "worldline story --json | jq '.claims[] | select(.holds | not)'",
      meaning: "claims that do not hold",
    },
  ],
  run: async ({ frame }) => {
    const { cancelled } = frame.surroundings;
    // Who listens is given the time to take the stage down.
    const heard = () => undefined;
    cancelled.addEventListener("abort", heard);
    const stage = openStage();
    try {
      return await play(frame, stage);
    } finally {
      stage.strike();
      cancelled.removeEventListener("abort", heard);
    }
  },
});

async function play(frame: Frame, stage: Stage): Promise<0 | 1> {
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

  const nodes = await sessionTree(await stage.look(session.id), { rows: "main", strings });
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
