import { loadStory } from "../../demonstrations.ts";
import { glyphsFor } from "../../show/style.ts";
import { drawTree } from "../../show/tree.ts";
import { defineCommand } from "../command.ts";
import { columnsOf } from "../output.ts";

export const story = defineCommand({
  help: (help) => help.story,
  run: async ({ frame: { output, strings, surroundings } }) => {
    const { playStory, storyText } = await loadStory();
    const { acts, nodes, claims } = await playStory(strings, surroundings.cancelled);
    const look = {
      glyphs: glyphsFor(surroundings.environment),
      style: output.style,
      columns: columnsOf(surroundings.stdout) - 2,
      head: strings.looking.head,
    };
    const document = {
      scripted: true,
      acts,
      tree: nodes.map(({ text, branch }) => ({ text, branch })),
      claims,
    };
    output.answer(document, () =>
      storyText({ acts, claims, tree: drawTree(nodes, look) }, look, strings.story).join("\n"),
    );
    return claims.every(({ holds }) => holds) ? 0 : 1;
  },
});
