import { expect, it } from "vitest";
import type { Responder } from "../../../src/testing/testing.ts";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { seriesOf } from "../../support/claude/series.ts";
import { claudeScene } from "./support/claude-scene.ts";

const script: Responder = (request) =>
  seriesOf(request) === "compaction" ? { text: "<summary>All of it.</summary>" } : { text: "Heard." };

const NAMED = "claude-haiku-4-5";

describeWithClaude("worldline compact --model in a session of Claude's", () => {
  it("has the SDK ask that model for the summary, and later turns keep their own model", async () => {
    const scene = await claudeScene({ script });
    for (const prompt of ["one", "two", "three", "four"]) {
      const again = prompt === "one" ? [] : ["-c"];
      expect(await scene.run("-p", prompt, "--host", "claude", ...again)).toMatchObject({ code: 0 });
    }
    const requests = scene.server?.requests ?? [];
    const main = requests.at(-1)?.model;
    expect(main).not.toBe(NAMED);
    for (const named of [NAMED, `anthropic/${NAMED}`]) {
      const asked = requests.length;
      const { code, stdout, stderr } = await scene.run("compact", "--model", named, "--json");
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/^Session \w+ "one", the most recent one here\.\n$/u),
      ]);
      expect(JSON.parse(stdout)).toMatchObject({ changed: true, model: `anthropic/${NAMED}` });
      const summaries = requests.slice(asked).filter((request) => seriesOf(request) === "compaction");
      expect(summaries.map(({ model }) => model)).toEqual([NAMED]);
      expect(await scene.run("-p", "next", "-c")).toMatchObject({ code: 0, stdout: "Heard.\n" });
      expect(requests.at(-1)?.model).toBe(main);
    }
  });
});
