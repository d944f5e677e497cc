import { describe, expect, it } from "vitest";
import { openSession } from "../../../src/open-session.ts";
import { textPart } from "../../../src/record/parts.ts";
import { playground } from "../support/command-line.ts";

const prompt = "be \u001b[31mred\u001b[39m \u001b[1m\u009b2J \ufdd0 \ue000\u001b[2J";
const visible = "be \u241b[31mred\u241b[39m \u241b[1m<U+009B>2J \ufdd0 \ue000\u241b[2J";
const ours = ["\u001b[1m", "\u001b[2m", "\u001b[22m"];

async function told() {
  const { home, workspace, worldline } = playground();
  const session = await openSession({ home, workspace });
  await session.prompt(prompt);
  await session.reply({ model: "scripted", parts: [textPart("no")] });
  await session.close();
  return worldline;
}

describe.each(["context", "log --full", "rewind 1 --scope conversation"])(
  "a prompt with escape codes in `%s`",
  (line) => {
    it.each([
      ["with colours", {}],
      ["without", { NO_COLOR: "1" }],
    ])("is made visible on a terminal %s", async (_title, environment) => {
      const worldline = await told();
      const { code, stdout } = await worldline(line, { reader: "terminal", environment });
      expect(code).toBe(0);
      expect(stdout).toContain(visible);
      const rest =
        "NO_COLOR" in environment ? stdout : ours.reduce((text, code) => text.replaceAll(code, ""), stdout);
      expect(rest).not.toMatch(/[^\P{Cc}\n\t]/u);
    });

    it("goes into a pipe as it is", async () => {
      const worldline = await told();
      expect((await worldline(line)).stdout).toContain(prompt);
    });
  },
);
