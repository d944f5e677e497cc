import { describe, expect, it } from "vitest";
import { sampleWays } from "../../../demo/sample/ways.ts";
import { isGreen, wayNamed } from "../../demo/sample/sample-scene.ts";
import { looksOf } from "../../e2e/files/looks.ts";
import { workerOn } from "./agent-scene.ts";

const PROMPT = "find what broke: node test.mjs";

describe("the offline worker in the real loop", () => {
  it("tries, really goes back with notes and files after wrong guesses, and stops when it is green", async () => {
    const { agent, session, workspace, events, read } = await workerOn(wayNamed("a one-line edit"));
    const before = read("src/prices.mjs");
    const end = await agent.prompt(PROMPT);
    expect(end).toMatchObject({ outcome: "done" });
    expect(end.answer).toMatch(
      /^Found: src\/tax\.mjs, line 5, changed between #\d+ of \w+ and #\d+ of \w+\. With this change, `node test\.mjs` fails; without it, the test passed twice\./u,
    );
    expect(await isGreen(workspace)).toBe(true);
    expect(read("src/prices.mjs")).toBe(before);
    const journeys = await session.journeys();
    expect(journeys.length).toBeGreaterThan(1);
    for (const { entry } of journeys) expect(entry).toMatchObject({ kind: "backtrack", files: "restore" });
    const notes = journeys.map(({ entry }) => (entry.kind === "backtrack" ? entry.note : ""));
    expect(notes.at(-1)?.match(/^- \[/gmu)).toHaveLength(journeys.length);
    expect(events.filter(({ type }) => type === "backtrack")).toHaveLength(journeys.length);
  });

  /** The worker cannot find causes that a model's tools cannot undo. */
  const beyond = ["a one-line edit", "a flaky test", "a file that is not text"];

  it.each(sampleWays.filter(({ name }) => !beyond.includes(name)))("finds $name", async (way) => {
    const { agent, workspace } = await workerOn(way);
    const { answer } = await agent.prompt(PROMPT);
    const [path = "?"] = way.culprit === "cannot-tell" ? [] : way.culprit.paths;
    expect(answer?.slice(0, `Found: ${path}`.length)).toBe(`Found: ${path}`);
    expect(await isGreen(workspace)).toBe(true);
  });

  it.each(["a flaky test", "a file that is not text"])(
    "cannot tell with %s, and leaves all as it was",
    async (name) => {
      const { agent, workspace } = await workerOn(wayNamed(name));
      const before = looksOf(workspace);
      expect((await agent.prompt(PROMPT)).answer).toMatch(/^Cannot tell: /u);
      expect(looksOf(workspace)).toEqual(before);
    },
  );

  it("says what it can do if there is no test in the prompt, and touches nothing", async () => {
    const { agent, events } = await workerOn(wayNamed("a one-line edit"));
    const { answer } = await agent.prompt("please write me a poem");
    expect(answer).toMatch(/^I work without a model and can do only one thing/u);
    expect(events.some(({ type }) => type === "call")).toBe(false);
  });

  it("claims nothing where it may not run the test", async () => {
    const { agent } = await workerOn(wayNamed("a one-line edit"), { mode: "manual" });
    expect((await agent.prompt(PROMPT)).answer).toMatch(
      /^Cannot tell: `node test\.mjs` could not be run\. Denied/u,
    );
  });

  it("puts back by hand what it changed where it cannot go back, and stops", async () => {
    const { agent, read } = await workerOn(wayNamed("a one-line edit"), { backtrack: "off" });
    const before = [read("src/prices.mjs"), read("src/tax.mjs"), read("NOTES.md")];
    expect((await agent.prompt(PROMPT)).answer).toMatch(
      /^Cannot tell: a guess was wrong, and I cannot backtrack here/u,
    );
    expect([read("src/prices.mjs"), read("src/tax.mjs"), read("NOTES.md")]).toEqual(before);
  });
});
