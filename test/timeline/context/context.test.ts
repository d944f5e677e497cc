import { describe, expect, it } from "vitest";
import { todosOf } from "../../../src/timeline/context/context.ts";
import { tell } from "../../story.ts";

const UNFINISHED = "Interrupted; it is not known whether it took effect.";

describe("the context", () => {
  it("is the system prompt and the branch, each entry as a message", () => {
    const story = tell("cp 1", "prompt find the leak", "step 2", "reply I look +read(a)", "ok a 40 files");
    expect(story.context()).toEqual({
      system: "You are an agent.",
      messages: [
        {
          role: "user",
          parts: [
            { type: "text", text: "find the leak" },
            { type: "text", text: "<system-k3f9x2m7q1>Checkpoint 2</system-k3f9x2m7q1>" },
          ],
        },
        {
          role: "assistant",
          model: "m",
          parts: [
            { type: "text", text: "I look" },
            { type: "tool-call", call: "a", name: "read", input: {} },
          ],
        },
        { role: "tool", call: "a", name: "read", outcome: "ok", parts: [{ type: "text", text: "40 files" }] },
      ],
      breakpoints: [0, 2],
    });
  });

  it("leaves out what a journey left", () => {
    expect(tell("cp 1", "prompt a", "reply no", "rewind 1", "cp 2", "prompt b").says()).toEqual(["user: b"]);
  });

  it("says how full it is, as the step wrote it down", () => {
    const story = tell("prompt a", "step 1");
    const [prompt, step] = [story.entry(2), story.entry(3)];
    const filled = { ...step, fill: 41 };
    story.entries.splice(1, 2, prompt, filled as typeof step);
    expect(story.says()).toEqual(["user: a [Checkpoint 1, context 41 %]"]);
  });

  it("lets nothing through that is not for the model", () => {
    const story = tell(
      "prompt a",
      "title t",
      "cp 1 manual",
      "label 1 good",
      "todos x",
      "rotated 2",
      "start a read",
    );
    story.addForeign("hologram");
    expect(story.says()).toEqual(["user: a"]);
  });

  it("tells the model that the user interrupted the turn", () => {
    expect(tell("prompt a", "interrupt").says()).toEqual([
      "user: a",
      "user: [The person interrupted the turn here.]",
    ]);
  });

  it("does not mention an interruption that was not the user's", () => {
    const story = tell("prompt a", "interrupt", "prompt b");
    story.entries[2] = { ...story.entry(3), by: "crash" } as (typeof story.entries)[number];
    expect(story.says()).toEqual(["user: a", "user: b"]);
  });

  it("does not mention that a rewind was undone", () => {
    expect(tell("cp 1", "prompt a", "reply r", "rewind 1", "redo 5").says()).toEqual([
      "user: a",
      "assistant: r",
    ]);
  });

  it("leaves out empty messages, which providers would refuse forever", () => {
    expect(tell("prompt", "prompt a", "reply", "prompt b").says()).toEqual(["user: a", "user: b"]);
  });
});

describe("a marker", () => {
  it("follows the message before it", () => {
    expect(tell("prompt a", "step 1", "reply r +x(c)", "ok c done", "step 2").says()).toEqual([
      "user: a [Checkpoint 1]",
      "assistant: r +x(c)",
      "c ok: done [Checkpoint 2]",
    ]);
  });

  it("is alone after a reply, and at the very start", () => {
    expect(tell("step 1", "reply r", "step 2").says()).toEqual([
      "user: [Checkpoint 1]",
      "assistant: r",
      "user: [Checkpoint 2]",
    ]);
  });

  it("joins the one before when no reply came in between", () => {
    expect(tell("prompt a", "step 1", "step 2").says()).toEqual(["user: a [Checkpoint 1] [Checkpoint 2]"]);
  });

  it("is not shown in a session in which the model cannot go back", () => {
    const story = tell("prompt a", "step 1", "reply r +x(a)", "ok a 1", "step 2");
    story.entries[0] = { ...story.of("session")[0], backtrack: "off" } as (typeof story.entries)[number];
    expect(story.says()).toEqual(["user: a", "assistant: r +x(a)", "a ok: 1"]);
  });

  it("is not shown from before a compaction, so that the agent is offered no number it may not use", () => {
    const story = tell("prompt a", "step 1", "reply r", "step 2", "reply s", "compact 5/2 short", "step 3");
    expect(story.says().join("\n")).not.toMatch(/Checkpoint [12]/u);
    expect(story.says().at(-1)).toBe("user: [Checkpoint 3]");
  });
});

describe("the results of a step", () => {
  it("are in the order of the calls, whatever the order they came in", () => {
    expect(tell("reply +x(a) +x(b) +x(c)", "ok c 3", "ok a 1", "error b 2").says()).toEqual([
      "assistant: +x(a) +x(b) +x(c)",
      "a ok: 1",
      "b error: 2",
      "c ok: 3",
    ]);
  });

  it("come before a prompt that arrived while they were pending", () => {
    expect(tell("reply +x(a) +x(b)", "ok a 1", "cp 1", "prompt wait", "ok b 2", "step 2").says()).toEqual([
      "assistant: +x(a) +x(b)",
      "a ok: 1",
      "b ok: 2",
      "user: wait [Checkpoint 2]",
    ]);
  });

  it("are filled in where they never came", () => {
    expect(tell("reply +x(a) +x(b)", "ok b 2", "prompt go on").says()).toEqual([
      "assistant: +x(a) +x(b)",
      `a interrupted: ${UNFINISHED}`,
      "b ok: 2",
      "user: go on",
    ]);
  });

  it("stay filled in once the model was called with them, so that what was sent stays as it was sent", () => {
    const story = tell("reply +x(a)", "prompt go on", "step 1");
    const sent = story.says();
    story.add("ok a too late");
    expect(story.says()).toEqual(sent);
  });

  it("are left out if they were never requested", () => {
    expect(tell("prompt a", "ok z orphan", "reply r").says()).toEqual(["user: a", "assistant: r"]);
  });

  it("are shown once, when one came twice", () => {
    expect(tell("reply +x(a)", "ok a 1", "ok a again").says()).toEqual(["assistant: +x(a)", "a ok: 1"]);
  });

  it("belong to the newest call, when a provider uses an id again", () => {
    const story = tell("reply +x(a)", "ok a first", "step 1", "reply +x(a)", "ok a second");
    expect(story.says()).toEqual([
      "assistant: +x(a)",
      "a ok: first [Checkpoint 1]",
      "assistant: +x(a)",
      "a ok: second",
    ]);
  });

  it("are matched in order if one reply uses an id twice", () => {
    expect(tell("reply +x(a) +y(a)", "ok a 1", "ok a 2").says()).toEqual([
      "assistant: +x(a) +y(a)",
      "a ok: 1",
      "a ok: 2",
    ]);
  });

  it("keep a malformed call valid: its input is an object, and the model learns why", () => {
    const story = tell("reply r", "error a Invalid arguments: not JSON");
    const reply = story.of("reply")[0];
    const parts = [
      { type: "tool-call" as const, call: "a", name: "write", input: {}, malformed: '{"path": ' },
    ];
    story.entries[1] = { ...reply, parts } as (typeof story.entries)[number];
    expect(story.says()).toEqual(["assistant: +write(a)", "a error: Invalid arguments: not JSON"]);
  });
});

describe("the breakpoints", () => {
  it("mark the task, the last backtrack's target and the tail", () => {
    const story = tell(
      "prompt task",
      "step 1",
      "reply r",
      "prompt more",
      "step 2",
      "reply s",
      "backtrack 2 note",
    );
    story.add("step 3");
    story.add("reply t");
    expect(story.says().map((says) => says.slice(0, 17))).toEqual([
      "user: task [Check",
      "assistant: r",
      "user: more [Check",
      "user: [You were f",
      "assistant: t",
    ]);
    expect(story.context().breakpoints).toEqual([0, 2, 4]);
  });

  it("are in the order of the messages, also if the task came after the backtrack", () => {
    const story = tell("step 1", "reply r", "backtrack 1 note", "prompt task", "reply s");
    expect(story.says().map((says) => says.slice(0, 16))).toEqual([
      "user: [Checkpoin",
      "user: [You were ",
      "user: task",
      "assistant: s",
    ]);
    expect(story.context().breakpoints).toEqual([0, 2, 3]);
  });

  it("are none in an empty context", () => {
    expect(tell().context()).toEqual({ system: "You are an agent.", messages: [], breakpoints: [] });
  });

  it("pass over an empty prompt", () => {
    expect(tell("prompt", "reply r", "prompt task", "reply s").context().breakpoints).toEqual([1, 2]);
  });
});

describe("the todos", () => {
  it("follow the branch", () => {
    const story = tell("todos plan", "cp 1", "todos plan,build", "rewind 1");
    const onBranch = () =>
      story.outline.rows().filter((row) => story.branch().includes(story.lines[row.seq - 1] ?? ""));
    expect(todosOf(onBranch().map((row) => story.entry(row.seq)))).toEqual([
      { text: "plan", status: "open" },
    ]);
    expect(todosOf([])).toEqual([]);
  });
});
