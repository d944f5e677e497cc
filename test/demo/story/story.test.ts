import { expect, it } from "vitest";
import { storyText } from "../../../demo/story/story.ts";
import { glyphsFor, painterFor } from "../../../src/show/style.ts";
import { stringsFor } from "../../../src/strings/strings.ts";

it("a story says which of its claims do not hold", () => {
  const claims = [
    { claim: "nothing is lost", found: "13 of 14", holds: false },
    { claim: "redo works", found: "3 bytes", holds: true },
  ];
  const look = { glyphs: glyphsFor({}), style: painterFor({}, {}).style, columns: 80, head: "head" };
  const lines = storyText({ acts: ["It begins."], tree: ["● #1"], claims }, look, stringsFor("en").story);
  expect(lines.slice(3)).toEqual([
    " 1  It begins.",
    "",
    "The session now (worldline tree)",
    "  ● #1",
    "",
    "Checked against the files",
    "  ✘  nothing is lost  13 of 14",
    "  ✔  redo works       3 bytes",
    "",
    "1 of 2 claims do not hold.",
  ]);
});
