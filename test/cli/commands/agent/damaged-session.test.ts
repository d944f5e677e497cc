import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openModelServer, scripted } from "../../../../src/testing/testing.ts";
import { playground } from "../../support/command-line.ts";

/** A session with one turn whose log is damaged afterward. */
async function damaged(damage: (log: string) => void) {
  const server = await openModelServer(scripted({ text: "One." }, { text: "Two." }));
  onTestFinished(() => server.close());
  const place = playground();
  const environment = { ...server.environment("anthropic"), HOME: place.root };
  const begun = await place.worldline(["-p", "say one", "--json"], { environment });
  const session = String(JSON.parse(begun.stdout).session);
  damage(join(place.home, "sessions", session, "log.jsonl"));
  const worldline = (...line: readonly string[]) => place.worldline(line, { environment });
  return { session, worldline };
}

const tear = (log: string) => appendFileSync(log, '{"seq":99,"id":"e');
const garble = (log: string) => {
  const lines = readFileSync(log, "utf8").split("\n");
  writeFileSync(log, lines.toSpliced(2, 0, "@@@ garbage @@@").join("\n"));
};
const empty = (log: string) => writeFileSync(log, "");
const spoilFirst = (log: string) => writeFileSync(log, readFileSync(log, "utf8").replace('"mode"', '"MODE"'));

describe("an agent that continues a damaged session", () => {
  it.each([
    ["a torn last line", tear, /^The last line was incomplete\./u],
    ["a line of garbage", garble, /^The log of session \S+ has 1 damaged place/u],
    ["a log that was emptied", empty, /^The log of session \S+ has 2 damaged places/u],
    ["a first line that was changed", spoilFirst, /^The log of session \S+ has 1 damaged place/u],
  ])("says so of %s", async (_, damage, warning) => {
    const { session, worldline } = await damaged(damage);
    const said = await worldline("-r", session, "-p", "say two", "--json");
    expect(said.code).toBe(0);
    expect(JSON.parse(said.stdout)).toMatchObject({
      answer: "Two.",
      warnings: [expect.stringMatching(warning)],
    });
  });

  it("says so on stderr, and as an event", async () => {
    const one = await damaged(garble);
    const text = await one.worldline("-c", "say two");
    expect(text.stderr).toMatch(/^warning: The log of session \S+ has 1 damaged place/mu);
    const other = await damaged(garble);
    const events = await other.worldline("-c", "say two", "--output-format", "stream-json");
    expect(events.stdout).toMatch(/^\{"type":"warning",[^\n]*has 1 damaged place/mu);
  });

  it("says so in a copy of it, too", async () => {
    const { session, worldline } = await damaged(garble);
    const said = await worldline("-r", session, "--fork", "-p", "say two");
    expect(said.stderr).toMatch(/^warning: The log of session \S+ has 1 damaged place/mu);
  });
});
