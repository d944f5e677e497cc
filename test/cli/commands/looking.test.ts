import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSession } from "../../../src/open-session.ts";
import { textPart } from "../../../src/record/parts.ts";
import { playground } from "../support/command-line.ts";
import { noise, tellConversation } from "../support/conversation.ts";

const times = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/gu;

async function told() {
  const place = playground();
  const { home, workspace, worldline } = place;
  const session = await tellConversation({ home, workspace });
  return {
    ...place,
    session,
    folder: join(home, "sessions", session),
    log: join(home, "sessions", session, "log.jsonl"),
    data: async (line: string) => JSON.parse((await worldline(`${line} --json`)).stdout),
    lines: async (line: string) =>
      (await worldline(line)).stdout
        .trimEnd()
        .replaceAll(times, "<time>")
        .replaceAll(session, "<session>")
        .split("\n"),
  };
}

describe("worldline log", () => {
  it("shows the entries in order, with where journeys went and what was left", async () => {
    const { lines, workspace } = await told();
    expect(await lines("log")).toEqual([
      `   1 ● <time> session    <session> agent session in ${workspace}`,
      "   2 ● <time> checkpoint #1 prompt",
      "   3 ● <time> prompt     find the leak",
      "   4 ● <time> step       #2, 0% context",
      '   5 ○ <time> reply      I read it. calls Read {"path":"log"}',
      "   6 ○ <time> tool-start Read c1",
      expect.stringMatching(/^ {3}7 ○ <time> tool-end {3}c1 ok: noise noise .*…$/u),
      expect.stringMatching(/^ {3}8 ○ <time> step {7}#3, \d% context$/u),
      "   9 ○ <time> reply      calls Backtrack {}",
      "  10 ○ <time> tool-start Backtrack c2",
      "  11 ○ <time> tool-end   c2 ok: Going back to checkpoint 2.",
      "  12 ● <time> backtrack  to #2 from line 11: it is in pool.ts Back to: find the leak",
      "  13 ● <time> reply      Fixed in pool.ts.",
      "  14 ● <time> checkpoint #4 prompt",
      "  15 ● <time> prompt     now write a test",
      "  16 ● <time> step       #5, 0% context",
      "  17 ● <time> reply      Written.",
    ]);
  });

  it("shows less, or more, when asked", async () => {
    const { lines } = await told();
    expect(await lines("log --branch --kind reply")).toEqual([
      "  13 ● <time> reply      Fixed in pool.ts.",
      "  17 ● <time> reply      Written.",
    ]);
    expect(await lines("log --limit 2")).toEqual([
      "15 earlier entries: worldline log --limit 0",
      "  16 ● <time> step       #5, 0% context",
      "  17 ● <time> reply      Written.",
    ]);
    expect(await lines("log --kind prompt --full --limit 1")).toEqual([
      "1 earlier entry: worldline log --limit 0",
      "  15 ● <time> prompt",
      "     now write",
      "     a test",
    ]);
    expect(await lines("log --kind host")).toEqual(["No entries found."]);
  });

  it("gives the entries as data, whole", async () => {
    const { data, session } = await told();
    const document = await data("log");
    expect(document).toMatchObject({ session, earlier: 0, damage: [] });
    expect(document.entries).toHaveLength(17);
    expect(document.entries[6].parts).toEqual([{ type: "text", text: noise }]);
    expect((await data("log --limit 3")).entries).toHaveLength(3);
  });

  it("shows damaged and missing lines at their place, and says so", async () => {
    const { lines, log, folder, worldline } = await told();
    const written = readFileSync(log, "utf8").split("\n");
    written[4] = (written[4] ?? "").replace("I read it", "I read IT");
    written.splice(6, 2);
    written[7] = "not a line of ours";
    writeFileSync(log, `${written.join("\n")}{"seq":18,"ki`);
    rmSync(join(folder, "index"), { force: true });
    const shown = (await lines("log")).map((line) => line.replace(/<time> (\S+).*/u, "$1"));
    expect(shown.slice(3)).toEqual([
      "   4 ● step",
      "     ✘ log.jsonl line 5 cannot be read: The checksum does not match the line.",
      "   6 ○ tool-start",
      "     ✘ log.jsonl line 7: Number of lines missing before this one: 2.",
      "   9 ○ reply",
      "     ✘ log.jsonl line 8 cannot be read: The checksum does not match the line.",
      "  11 ○ tool-end",
      "  12 ● backtrack",
      "  13 ● reply",
      "  14 ● checkpoint",
      "  15 ● prompt",
      "  16 ● step",
      "  17 ● reply",
      "     ✘ log.jsonl line 16: The last line was not completely written.",
    ]);
    expect((await worldline("log")).stderr).toContain(
      "has 4 damaged places; the rest is shown. See: worldline log",
    );
  });
});

describe("worldline tree", () => {
  it("draws prompts, journeys and where they left", async () => {
    const { lines, data, worldline, workspace } = await told();
    await worldline(["label", "4", "tests"]);
    await worldline("rewind 4 --scope conversation");
    await worldline("checkpoint");
    const { journeys } = await data("redo --list");
    const [rewind, backtrack] = journeys.map(({ id }: { id: string }) => id);
    expect((await lines("tree")).map((line) => line.replace(/\d\d:\d\d:\d\d/u, "<clock>"))).toEqual([
      `● session <session> agent session in ${workspace}`,
      "● #1 find the leak",
      `├─○ tool-end, line 11: 7 entries on another branch (worldline redo ${backtrack})`,
      "● backtrack to #2 from line 11: it is in pool.ts Back to: find the leak",
      "├─○ #4 [tests] now write a test",
      `│ ○ label, line 18: 4 entries on another branch (worldline redo ${rewind})`,
      "● rewind to #4 from line 18 (conversation)",
      "● #6 Checkpoint at <clock> ◀ head",
    ]);
  });

  it("has every entry when asked, also as data", async () => {
    const { lines, data, session } = await told();
    expect(await lines("tree --all")).toHaveLength(17);
    const { rows, ...rest } = await data("tree --all");
    expect(rest).toEqual({ session, head: 17, damage: [] });
    expect(rows[4]).toMatchObject({ seq: 5, parent: 4, kind: "reply", branch: "left", depth: 1 });
    expect(rows.at(-1)).toMatchObject({ seq: 17, branch: "here", depth: 0, head: true });
  });

  it("draws with plain characters where the locale asks for it", async () => {
    const { worldline } = await told();
    const { stdout } = await worldline("tree", { environment: { LANG: "C" } });
    expect(stdout).toMatch(/^[\n -~]*$/u);
    expect(stdout).toContain("\n|-o tool-end, line 11");
  });
});

describe("worldline context", () => {
  it("shows what the model would see, part by part", async () => {
    const { lines, data } = await told();
    const { system, messages, breakpoints, tokens, at } = await data("context");
    expect({ at, tokens }).toEqual({ at: null, tokens: expect.any(Number) });
    expect(system).toMatch(/^Be brief\.\n\nWorldline, .*<system-\w{10}>/u);
    expect(breakpoints.length).toBeGreaterThan(0);
    const shown = await lines("context");
    const texts = messages.flatMap(({ parts }: { parts: { text: string }[] }) =>
      parts.map(({ text }) => text),
    );
    for (const text of texts) expect(shown.join("\n")).toContain(text);
    expect(shown.filter((line) => line.startsWith("── "))).toEqual([
      "── system ──",
      ...messages.map(({ role }: { role: string }) =>
        role === "assistant" ? "── assistant (scripted) ──" : `── ${role} ──`,
      ),
    ]);
    expect(shown.filter((line) => line.includes("cache breakpoint"))).toHaveLength(1 + breakpoints.length);
    expect(shown.at(-1)).toMatch(/^\d+ messages, \d+ tokens/u);
  });

  it("says what the number of tokens rests on", async () => {
    const { lines, home, workspace, session } = await told();
    expect((await lines("context")).at(-1)).toContain(" tokens (estimated)");
    const resumed = await openSession({ home, workspace, resume: session });
    await resumed.reply({
      model: "scripted",
      parts: [textPart("More.")],
      usage: { input: 900, output: 9, cacheRead: 0, cacheWrite: 0 },
    });
    await resumed.close();
    expect((await lines("context")).at(-1)).toContain(" (partly counted by the provider, partly estimated)");
  });

  it("shows how full that makes the model's window, where the settings can be read", async () => {
    const { lines, data, worldline, write } = await told();
    const { tokens, window } = await data("context");
    expect(window).toBe(null);
    expect((await lines("context")).at(-1)).not.toContain("% of ");
    expect((await data("context --setting context.window=5000")).window).toBe(5000);
    const percent = Math.round(tokens / 10);
    expect((await lines("context --setting context.window=1000")).at(-1)).toContain(`, ${percent}% of 1,000`);
    write("user", "{ not settings");
    const { code, stdout, stderr } = await worldline("context");
    expect(code).toBe(0);
    expect(stdout).not.toContain("% of ");
    expect(stderr).toContain("warning: Context usage is unknown");
  });

  it("shows what it saw at a checkpoint, on a branch that was left too", async () => {
    const { data, lines } = await told();
    expect((await data("context --at 1")).messages).toEqual([]);
    const there = await data("context --at 3");
    expect(there.at).toBe(3);
    expect(there.messages.map(({ role }: { role: string }) => role)).toContain("tool");
    expect(await lines("context --at 3")).toContain("── tool Read c1: ok ──");
  });
});
