import { expect, it } from "vitest";
import type { Json } from "../../../../src/record/parts.ts";
import type { ScriptedReply } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { claudeScript, seriesOf } from "../../../support/claude/series.ts";
import { additions } from "../../../support/claude/spoken.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { commands, conversations, lastShown, markers, messageLines, sdkSessions } from "../support/wire.ts";

const TOOL = "mcp__worldline__Backtrack";
const back = (input: Json): ScriptedReply => ({ calls: [{ name: TOOL, input }] });

function framed(to: number, ...sections: readonly string[]): string {
  const begin = `You were further ahead and went back to checkpoint ${to}. What came after it is gone from your context; this is your own note from there:`;
  const end = "Go on from the note. Do not repeat what it says was done or has failed.";
  return `[${[begin, ...sections, end].join("\n\n")}]`;
}

describeWithClaude("a backtrack", () => {
  it("is described to the model as the user sees it, and as it may be spoken of", async () => {
    const stage = await claudeStage({
      responder: claudeScript({ main: [{ text: "Hello." }] }),
      settings: { backtrack: { display: "off", mention: "never" } },
    });
    await stage.agent.prompt("hi");
    const sent = stage.server.requests
      .map(({ body }) => JSON.stringify(body))
      .find((body) => body.includes(TOOL));
    expect(sent).toContain("The user does not see that you went back");
    expect(sent).toContain("Never mention to the user that you went back");
  });

  it("leaves the model with what was kept and its note, on a prefix that was cached, and can be undone", async () => {
    const stage = await claudeStage({
      responder: claudeScript({
        main: [
          { text: "Hello." },
          { text: "I look.", ...commands("echo 1 > a.txt; seq 9") },
          back({ checkpoint_id: 4, note: "It counts to 9.", rationale: "It was long.", files: "restore" }),
          { text: "To 9." },
          { text: "Yes." },
          { text: "Sure." },
        ],
      }),
    });
    const { agent, session, server, events } = stage;
    await agent.prompt("hi");
    const [first] = sdkSessions().keys();
    expect(await agent.prompt("how far?")).toMatchObject({
      outcome: "done",
      answer: "To 9.",
      steps: 1,
      backtracks: 1,
    });
    const looked = ["I look.", "Bash(echo 1 > a.txt; seq 9)", "= 1\n2\n3\n4\n5\n6\n7\n8\n9"];
    const kept = ["> hi", "Hello.", "> how far?"];
    const note = framed(
      4,
      "> It counts to 9.",
      "Already said to the user, who can still read it; say it again only where your answer needs it:\n\n> I look.",
      "The files were taken back to that checkpoint as well.",
    );
    expect(conversations(stage)).toEqual([
      ["> hi"],
      kept,
      [...kept, ...looked],
      [...kept, "[Checkpoint 4]", note],
    ]);
    expect(markers(stage)).toEqual([2, 6, 4]);
    expect(() => stage.read("a.txt")).toThrow();
    expect(events.filter(({ type }) => type === "backtrack")).toEqual([
      {
        type: "backtrack",
        to: 4,
        entries: 8,
        tokens: expect.any(Number),
        prompt: "how far?",
        note: "It counts to 9.",
        rationale: "It was long.",
        files: "restore",
        restored: {
          restored: 0,
          created: 0,
          removed: 1,
          merged: 0,
          kept: 0,
          notRestorable: 0,
          failed: 0,
        },
      },
    ]);
    expect(await session.entriesOf("backtrack")).toMatchObject([
      { rationale: "It was long.", prompt: "how far?" },
    ]);

    const [one, , , last] = server.requests;
    expect(last?.cachedTokens).toBeGreaterThanOrEqual(one?.inputTokens ?? Number.NaN);
    const usage = (await session.entriesOf("reply")).at(-1)?.usage;
    expect(usage?.cacheRead).toBe(last?.cachedTokens);

    await agent.prompt("really?");
    expect(lastShown(stage)).toEqual([...kept, "[Checkpoint 4]", note, "To 9.", "> really?"]);
    expect(messageLines(first ?? "").join("\n")).not.toContain("really?");
    const [backtrack] = await session.journeys();
    await session.redo(backtrack?.entry.id);
    expect(stage.read("a.txt")).toBe("1\n");
    await agent.prompt("and now?");
    const [call, result, record, ...told] = lastShown(stage).slice(kept.length + looked.length);
    expect([call?.slice(0, TOOL.length), result]).toEqual([TOOL, "= Going back when this step ends."]);
    expect(record).toContain('<result of "Backtrack", ok>\nGoing back to checkpoint 4.\n');
    expect(told.map((line) => line.slice(0, 45))).toEqual([
      "[The person undid your backtrack from here. T",
      "[The user undid an earlier rewind or backtrac",
      "> and now?",
    ]);
  });

  it("repeats what the user said meanwhile, and keeps the files unless asked otherwise", async () => {
    const stage = await claudeStage({
      responder: claudeScript({
        main: [
          commands("echo 1 > a.txt"),
          commands("echo 2 > b.txt"),
          back({ checkpoint_id: 2, note: "Both are written." }),
          { text: "Done." },
        ],
      }),
    });
    const { agent, events } = stage;
    agent.on((event) => {
      if (event.type === "doing" && event.doing.what === "tool" && event.doing.about.includes("b.txt")) {
        agent.queue("with tabs");
      }
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done", backtracks: 1 });
    expect(lastShown(stage)).toEqual([
      "> go",
      "[Checkpoint 2]",
      framed(
        2,
        "> Both are written.",
        "Since that checkpoint the person wrote, word for word:",
        "> with tabs",
        'Files on disk that are no longer as they were at that checkpoint:\n- "a.txt"\n- "b.txt"',
      ),
    ]);
    expect(conversations(stage).length).toBe(4);
    expect(events.filter(({ type }) => type === "backtrack")).toMatchObject([{ to: 2, files: "keep" }]);
    expect([stage.read("a.txt"), stage.read("b.txt")]).toEqual(["1\n", "2\n"]);
  });

  it("goes back again, and on after a restart", async () => {
    const stage = await claudeStage({
      responder: claudeScript({
        main: [
          commands("echo 1"),
          back({ checkpoint_id: 2, note: "Not 1." }),
          commands("echo 2"),
          back({ checkpoint_id: 2, note: "Not 2." }),
          { text: "It is 3." },
          { text: "Bye." },
        ],
      }),
    });
    expect(await stage.agent.prompt("which?")).toMatchObject({ outcome: "done", backtracks: 2, steps: 1 });
    const note = framed(2, "> Not 2.", "You have come back to this checkpoint 2 times now.");
    expect(lastShown(stage)).toEqual(["> which?", "[Checkpoint 2]", note]);
    const again = await stage.again();
    await again.agent.prompt("thanks");
    expect(lastShown(stage)).toEqual(["> which?", "[Checkpoint 2]", note, "It is 3.", "> thanks"]);
  });
});

describeWithClaude("a session without backtrack", () => {
  it("has no such tool and no markers; a sub-agent has no markers, and is refused", async () => {
    const off = await claudeStage({
      responder: claudeScript({ main: [{ text: "Hello." }] }),
      backtrack: "off",
    });
    await off.agent.prompt("hi");
    expect(off.server.requests.map(({ tools }) => tools.includes(TOOL))).toEqual([false]);
    expect(markers(off)).toEqual([]);
    await off.close();

    const on = await claudeStage({
      responder: claudeScript({
        main: [
          {
            calls: [
              {
                name: "Agent",
                input: { description: "x", prompt: "look", subagent_type: "general-purpose" },
              },
            ],
          },
          { text: "Done." },
        ],
        subAgents: { look: [back({ checkpoint_id: 2, note: "I am lost." }), { text: "Lost." }] },
      }),
    });
    expect(await on.agent.prompt("go")).toMatchObject({ outcome: "done", backtracks: 0 });
    const below = on.server.requests.filter((request) => seriesOf(request) === "sub-agent");
    expect(conversations(on, "sub-agent").at(-1)?.at(-1)).toBe(
      "! Backtrack is not available in this context.",
    );
    expect(below.flatMap(additions).join("\n")).not.toContain("Checkpoint");
  });
});
