import { expect, it } from "vitest";
import { turnStateOf } from "../../../../src/machine/queries/recap.ts";
import { statsOf } from "../../../../src/machine/queries/sessions.ts";
import type { Responder, ScriptedReply } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { seriesOf } from "../../../support/claude/series.ts";
import { type ClaudeStage, claudeStage } from "../support/claude-stage.ts";
import { conversations, hostSession, lastShown, obliging, sdkSessions } from "../support/wire.ts";

/** More usage than the SDK's default model allows without a compaction. */
const FULL = { usage: { uncached: 990_000 } };

/** Numbers its summaries. `reply` may override the answer to a prompt. */
function summarising(reply: (words: string) => ScriptedReply | undefined = () => undefined): Responder {
  let count = 0;
  return async (request, index) => {
    if (seriesOf(request) === "compaction") return { text: `<summary>summary ${++count}</summary>` };
    const last = request.messages.findLast(({ role }) => role === "user")?.text ?? "";
    return reply(last.split("\n").at(-1) ?? "") ?? obliging(request, index);
  };
}

async function prompts(stage: ClaudeStage, ...all: readonly string[]): Promise<void> {
  for (const words of all) await stage.agent.prompt(words);
}

const FOUR = ["> one", "on one", "> two", "on two", "> three", "on three", "> four", "on four"];

describeWithClaude("a compaction that the user asks for", () => {
  it("is the SDK's, in our log with its summary and with the files from before it", async () => {
    const stage = await claudeStage({ responder: summarising() });
    const { agent, session } = stage;
    const nothing = {
      type: "compaction",
      outcome: "failed",
      reason: "asked",
      why: "Nothing to compact.",
      error: { reason: "nothing-to-compact-now", params: {} },
    };
    expect(await agent.compact()).toEqual(nothing);
    await prompts(stage, "one", "two", "three", "four");
    stage.write("a.txt", "before\n");
    expect(await agent.compact("the leak")).toMatchObject({ outcome: "done", reason: "asked" });
    const [asked] = conversations(stage, "compaction");
    // The SDK keeps the last reply verbatim after the summary, so the summary does not cover it.
    expect(asked?.slice(0, -1)).toEqual(FOUR.slice(0, 7));
    expect(asked?.at(-1)).toContain("the leak");
    expect(await session.entriesOf("compaction")).toMatchObject([
      { summary: "summary 1", reason: "asked", focus: "the leak" },
    ]);
    expect(await turnStateOf(session)).toEqual({ state: "idle" });
    expect(await agent.compact()).toEqual(nothing);
    expect(await session.entriesOf("compaction")).toHaveLength(1);
    expect(conversations(stage, "compaction")).toHaveLength(1);
    await agent.prompt("five");
    expect(lastShown(stage)).toEqual(["summary: summary 1", "on four", "> five"]);

    stage.write("a.txt", "after\n");
    const { journey } = await session.rewind({ to: 9, scope: "both", choice: "take" });
    expect(stage.read("a.txt")).toBe("before\n");
    await agent.prompt("six");
    const [files, ...rest] = lastShown(stage).slice(FOUR.length);
    expect(lastShown(stage).slice(0, FOUR.length)).toEqual(FOUR);
    expect([files?.slice(0, 30), ...rest]).toEqual(["[The user rewound files to che", "> six"]);

    await session.redo(journey);
    await agent.prompt("seven");
    const redone = lastShown(stage);
    expect(redone.slice(0, 4)).toEqual(["summary: summary 1", "on four", "> five", "on five"]);
    expect(redone.at(-1)).toBe("> seven");
  });

  it("reports the same numbers live and after the session is opened again", async () => {
    const one = await claudeStage({ responder: summarising() });
    await prompts(one, "one", "two", "three", "four");
    const told = await one.agent.compact();
    const after = one.session.tokenCount;
    await one.agent.prompt("five");
    const two = await one.again();
    await two.agent.prompt("six");
    const { compactions } = await statsOf(two.session);
    expect(compactions).toEqual([
      { reason: "asked", before: "before" in told && told.before, after: "after" in told && told.after },
    ]);
    expect(compactions.map((each) => each.after)).toEqual([after]);
  });

  it("is undone by going back past it after a restart, also between two of them", async () => {
    const one = await claudeStage({ responder: summarising() });
    await prompts(one, "one", "two", "three", "four");
    await one.agent.compact();
    const first = await hostSession(one);
    const two = await one.again();
    await prompts(two, "five", "six");
    expect(lastShown(two)).toEqual(["summary: summary 1", "on four", "> five", "on five", "> six"]);
    expect([...sdkSessions().keys()]).toEqual([first]);
    await two.agent.compact();

    const three = await two.again();
    const { journey: between } = await three.session.rewind(12);
    await three.agent.prompt("between");
    expect(lastShown(three)).toEqual(["summary: summary 1", "on four", "> five", "on five", "> between"]);
    const { journey: before } = await three.session.rewind(7);
    await three.agent.prompt("before");
    expect(lastShown(three)).toEqual([...FOUR.slice(0, 6), "> before"]);
    await three.session.redo(before);
    await three.session.redo(between);
    await three.agent.prompt("seven");
    expect(lastShown(three)).toEqual(["summary: summary 2", "on six", "> seven"]);
  });

  it("covers the branch that the user went back to, and keeps the notice about the files", async () => {
    const stage = await claudeStage({ responder: summarising() });
    await prompts(stage, "one", "two", "$ echo 3 > three.txt", "four");
    await stage.session.rewind({ to: 5, scope: "both" });
    expect(await stage.agent.compact()).toMatchObject({ outcome: "done" });
    expect(conversations(stage, "compaction").at(-1)?.slice(0, -1)).toEqual(FOUR.slice(0, 3));
    await stage.agent.prompt("five");
    expect(lastShown(stage)).toEqual([
      "summary: summary 1",
      "on two",
      expect.stringMatching(/^\[The user rewound files [\s\S]*- "three\.txt"\]$/u),
      "> five",
    ]);
    await stage.session.rewind(5);
    await stage.agent.prompt("six");
    expect(lastShown(stage)).toEqual([...FOUR.slice(0, 4), "> six"]);
  });

  it("changes nothing if there is no summary", async () => {
    const failing: Responder = (request, index) =>
      seriesOf(request) === "compaction"
        ? { misbehave: { do: "status", status: 400 } }
        : obliging(request, index);
    const stage = await claudeStage({ responder: failing });
    await prompts(stage, "one", "two");
    const told = await stage.agent.compact();
    expect(told).toMatchObject({ outcome: "failed", reason: "asked" });
    expect(told.outcome === "failed" && told.why).toMatch(/\S/u);
    await stage.agent.prompt("three");
    expect(lastShown(stage)).toEqual([...FOUR.slice(0, 4), "> three"]);
    expect(await stage.session.entriesOf("compaction")).toEqual([]);
  });
});

describeWithClaude("a compaction that the SDK makes by itself", () => {
  it("is in our log, loses nothing of a turn that fails right after it, and is undone by going back", async () => {
    const responder = summarising((words) => {
      if (words === "three") return { text: "on three", ...FULL };
      return words === "four" ? { misbehave: { do: "status", status: 401 } } : undefined;
    });
    const stage = await claudeStage({ responder });
    const { session, events } = stage;
    await prompts(stage, "one", "two", "three");
    expect(await stage.agent.prompt("four")).toMatchObject({ outcome: "failed" });
    expect(lastShown(stage)).toEqual(["summary: summary 1", "on three", "> four"]);
    expect(await session.entriesOf("compaction")).toMatchObject([{ summary: "summary 1", reason: "full" }]);
    expect(events.filter(({ type }) => type === "compaction")).toMatchObject([
      { outcome: "done", reason: "full" },
    ]);

    const again = await stage.again();
    await again.agent.prompt("five");
    expect(lastShown(stage)).toEqual(["summary: summary 1", "on three", "> four", "> five"]);

    // At that point the context is as full as it was then, so the SDK compacts it again.
    await again.session.rewind(8);
    await again.agent.prompt("six");
    const anew = conversations(stage, "compaction").at(-1)?.slice(0, 5);
    expect(anew).toEqual(FOUR.slice(0, 5));
    expect(lastShown(stage)).toEqual(["summary: summary 2", "on three", "> four", "[Checkpoint 8]", "> six"]);
  });

  it("is undone in the same process, and may come between the steps of a turn", async () => {
    const responder = summarising((words) => {
      if (words !== "look") return undefined;
      return { calls: [{ name: "Bash", input: { command: "echo 1", description: "x" } }], ...FULL };
    });
    const stage = await claudeStage({ responder });
    await prompts(stage, "one", "look", "three");
    expect(conversations(stage).slice(2)).toEqual([
      ["summary: summary 1", "Bash(echo 1)", "= 1"],
      ["summary: summary 1", "Bash(echo 1)", "= 1", "done", "> three"],
    ]);
    await stage.session.rewind(4);
    await stage.agent.prompt("four");
    expect(lastShown(stage)).toEqual(["> one", "on one", "> look", "[Checkpoint 4]", "> four"]);
  });
});
