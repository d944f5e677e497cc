import { beforeAll, describe, expect, it } from "vitest";
import { layOut } from "../../../../src/tui/transcript/drawing/draw-block.ts";
import { loadHighlighter } from "../../../../src/tui/transcript/drawing/text.ts";
import { lookIn, plain } from "./looks.ts";
import { samples } from "./samples.ts";

beforeAll(loadHighlighter);

describe("every kind of block", () => {
  const cases = ([40, 80, 160] as const).flatMap((width) =>
    (["en", "zh-CN"] as const).map((language) => ({ width, language })),
  );

  it.each(cases)(
    "is drawn as the golden file has it, at $width columns in $language",
    async ({ width, language }) => {
      const look = lookIn(language, { NO_COLOR: "1" });
      const drawn = samples.flatMap(([name, block]) =>
        (["folded", "unfolded"] as const).flatMap((folds) => [
          `==== ${name}, ${folds}`,
          ...layOut(block, { width, folds, display: "card" }, look).map(plain),
        ]),
      );
      await expect(`${drawn.join("\n")}\n`).toMatchFileSnapshot(`../golden/${language}-${width}.txt`);
    },
  );

  it("is drawn with ASCII where the terminal has nothing else", async () => {
    const look = lookIn("en", { NO_COLOR: "1", LC_ALL: "C" });
    const drawn = samples.flatMap(([name, block]) => [
      `==== ${name}`,
      ...layOut(block, { width: 60, folds: "folded", display: "line" }, look).map(plain),
    ]);
    await expect(`${drawn.join("\n")}\n`).toMatchFileSnapshot("../golden/ascii-60.txt");
  });
});
