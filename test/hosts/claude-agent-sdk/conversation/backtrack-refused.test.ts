import { expect, it } from "vitest";
import type { Json } from "../../../../src/record/parts.ts";
import type { ScriptedCall, ScriptedReply } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { claudeScript } from "../../../support/claude/series.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { commands, conversations, lastShown } from "../support/wire.ts";

const call = (input: Json): ScriptedCall => ({ name: "mcp__worldline__Backtrack", input });
const back = (input: Json): ScriptedReply => ({ calls: [call(input)] });

function results(shown: readonly string[] | undefined): readonly string[] {
  return (shown ?? []).filter((line) => /^[=!] /u.test(line));
}

describeWithClaude("a backtrack that is refused", () => {
  it("says why, and the turn continues in its place", async () => {
    const stage = await claudeStage({
      responder: claudeScript({
        main: [
          back({ checkpoint_id: 99, note: "There." }),
          back({ checkpoint_id: 1, note: "To a prompt." }),
          back({ checkpoint_id: 2, note: " " }),
          back({ checkpoint_id: "two", note: "x" }),
          { calls: [call({ checkpoint_id: 2, note: "One." }), call({ checkpoint_id: 3, note: "Two." })] },
          back({ checkpoint_id: 2, note: "Three." }),
          commands("echo 1"),
          back({ checkpoint_id: 2, note: "One." }),
          { text: "I stay." },
        ],
      }),
    });
    expect(await stage.agent.prompt("go")).toMatchObject({
      outcome: "done",
      answer: "I stay.",
      backtracks: 1,
    });
    const shown = conversations(stage);
    expect(results(shown[3])).toEqual([
      "! There is no checkpoint 99 to go back to. Usable checkpoints: 2",
      "! There is no checkpoint 1 to go back to. Usable checkpoints: 2-3",
      "! The note is empty. Without it, you would not know why you came back. Usable checkpoints: 2-4",
    ]);
    expect(results(shown[4]).at(-1)).toContain("expected number, received string");
    expect(results(shown.at(-1))).toEqual([
      "! You have done nothing since the last backtrack. Make a tool call first, or answer. Usable checkpoints: 2, 7",
      "= 1",
      "! You have already gone back to checkpoint 2 with exactly this note. Usable checkpoints: 2, 7-9",
    ]);
    expect(shown.length).toBe(9);
    const ends = await stage.session.entriesOf("tool-end");
    expect(ends.slice(4, 6)).toMatchObject([
      {
        outcome: "error",
        parts: [
          {
            text: "Another backtrack is already pending. Only one is possible in each step. Usable checkpoints: 2-6",
          },
        ],
      },
      { outcome: "ok", parts: [{ text: "Going back to checkpoint 2." }] },
    ]);
  });

  it("comes after too many in one turn", async () => {
    const replies = Array.from({ length: 3 }, (_, count) => [
      commands(`echo ${count}`),
      back({ checkpoint_id: 2, note: `Not ${count}.` }),
    ]).flat();
    const stage = await claudeStage({
      responder: claudeScript({ main: [...replies, { text: "Enough." }] }),
      session: { maxBacktracksPerTurn: 2 },
    });
    expect(await stage.agent.prompt("go")).toMatchObject({ outcome: "done", backtracks: 2 });
    expect(results(lastShown(stage))).toEqual([
      "= 2",
      "! You have gone back 2 times in this turn, which is the limit. Usable checkpoints: 2, 6-7",
    ]);
  });
});

describeWithClaude("a backtrack that is dropped", () => {
  it("had another call in the step that was denied", async () => {
    const stage = await claudeStage({
      mode: "manual",
      responder: claudeScript({
        main: [
          { calls: [...(commands("touch a.txt").calls ?? []), call({ checkpoint_id: 2, note: "Touched." })] },
          { text: "I stay." },
        ],
      }),
    });
    expect(await stage.agent.prompt("go")).toMatchObject({
      outcome: "done",
      answer: "I stay.",
      backtracks: 0,
    });
    const why = "The backtrack was dropped. Another call in the same reply was denied.";
    expect(lastShown(stage).slice(0, 5)).toEqual([
      "> go",
      "Bash(touch a.txt)",
      'mcp__worldline__Backtrack({"checkpoint_id":2,"note":"Touched."})',
      "! Denied: nobody is there",
      "= Going back when this step ends.",
    ]);
    expect(lastShown(stage).slice(5)).toEqual([expect.stringContaining(why)]);
    expect(stage.events.filter(({ type }) => type === "warning")).toMatchObject([
      {
        code: "BACKTRACK_DROPPED",
        message: "A backtrack was dropped. Another call in the same reply was denied.",
      },
    ]);
  });

  it("was requested in a turn that the user interrupts", async () => {
    const stage = await claudeStage({
      responder: claudeScript({
        main: [
          { calls: [call({ checkpoint_id: 2, note: "Slept." }), ...(commands("sleep 30").calls ?? [])] },
          { text: "What?" },
        ],
      }),
    });
    const { agent, session } = stage;
    agent.on((event) => {
      if (event.type === "doing" && event.doing.what === "tool")
        setTimeout(() => void agent.interrupt(), 200);
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "interrupted", backtracks: 0 });
    expect(await agent.prompt("so?")).toMatchObject({ outcome: "done", backtracks: 0 });
    expect(conversations(stage).length).toBe(2);
    expect(lastShown(stage).slice(-3)).toEqual([
      expect.stringContaining("The backtrack was dropped. The turn was interrupted."),
      "[The person interrupted the turn here.]",
      "> so?",
    ]);
    expect(await session.entriesOf("backtrack")).toEqual([]);
  });
});
