import { describe, expect, it } from "vitest";
import type { EntryId } from "../../src/record/ids.ts";
import { toCheckpointNumber } from "../../src/record/ids.ts";
import type { ReplyPart } from "../../src/record/parts.ts";
import { textPart } from "../../src/record/parts.ts";
import { Story } from "../../src/testing/story.ts";
import { type CutTurn, turnStateIn } from "../../src/timeline/turn-state.ts";

const estimate = 1;

class Turn extends Story {
  calls(...calls: readonly (readonly [call: string, name: string, input: Record<string, string>])[]): this {
    const parts = calls.map(([call, name, input]): ReplyPart => ({ type: "tool-call", call, name, input }));
    this.tell({ kind: "reply", model: "m", parts, estimate });
    return this;
  }

  starts(call: string, name = "Bash"): this {
    this.tell({ kind: "tool-start", call, name });
    return this;
  }

  ends(call: string, outcome: "ok" | "interrupted" = "ok"): this {
    this.tell({ kind: "tool-end", call, outcome, parts: [textPart("done")], estimate });
    return this;
  }
}

function begun(prompt = "mend it"): Turn {
  const turn = new Turn();
  turn.begin();
  turn.prompt(prompt);
  return turn;
}

const cut = (given: Partial<CutTurn>): CutTurn => ({
  state: "cut",
  step: 1,
  while: "replying",
  prompt: "mend it",
  openCalls: [],
  finishedCalls: [],
  unstartedCalls: [],
  unansweredCalls: given.unstartedCalls ?? [],
  interruptedBy: "unknown",
  ...given,
});

const bash = { call: "a", name: "Bash", about: "npm test" };
const edit = { call: "b", name: "Edit", about: "src/pool.ts" };

function twoCalls(): Turn {
  const turn = begun();
  turn.step();
  return turn.calls(["a", "Bash", { command: "npm\n test" }], ["b", "Edit", { file_path: "src/pool.ts" }]);
}

describe("the state of a turn", () => {
  it("counts a call that was answered without having begun as one that never started", () => {
    const turn = twoCalls().starts("a").ends("a", "interrupted").ends("b", "interrupted");
    turn.tell({ kind: "interrupt", by: "person" });
    expect(turnStateIn(turn.entries)).toEqual(
      cut({
        while: "tools",
        finishedCalls: [bash],
        unstartedCalls: [edit],
        unansweredCalls: [],
        interruptedBy: "person",
      }),
    );
  });

  it("is idle before the first prompt, and after an answer", () => {
    const turn = new Turn();
    turn.begin();
    expect(turnStateIn(turn.entries)).toEqual({ state: "idle" });
    turn.prompt("hello");
    turn.step();
    turn.reply("Hi.");
    turn.title("A talk");
    turn.tell({ kind: "host", host: "claude", hostSession: "sdk-1", message: "m1" });
    expect(turnStateIn(turn.entries)).toEqual({ state: "idle" });
  });

  it("is cut before the first step when only the prompt is there", () => {
    expect(turnStateIn(begun().entries)).toEqual(cut({ step: 0, while: "before-first-step" }));
  });

  it("is cut while the model replied when a step has no reply, or half of one", () => {
    const turn = begun();
    turn.step();
    expect(turnStateIn(turn.entries)).toEqual(cut({}));
    turn.tell({ kind: "reply", model: "m", parts: [textPart("It i")], end: "interrupted", estimate });
    turn.tell({ kind: "interrupt", by: "person" });
    expect(turnStateIn(turn.entries)).toEqual(cut({ interruptedBy: "person" }));
  });

  it("says what went wrong", () => {
    const turn = begun();
    turn.step();
    turn.tell({
      kind: "error",
      code: "MODEL_UNREACHABLE",
      message: "Nobody answers.",
      hint: "Look at the network.",
    });
    const error = { code: "MODEL_UNREACHABLE", message: "Nobody answers.", hint: "Look at the network." };
    expect(turnStateIn(turn.entries)).toEqual(cut({ error }));
  });

  it("tells open calls from those that ended and those that never started", () => {
    const turn = twoCalls();
    expect(turnStateIn(turn.entries)).toEqual(cut({ while: "tools", unstartedCalls: [bash, edit] }));
    turn.starts("a");
    expect(turnStateIn(turn.entries)).toEqual(
      cut({ while: "tools", openCalls: [bash], unstartedCalls: [edit] }),
    );
    turn.starts("b", "Edit").ends("b");
    turn.tell({ kind: "interrupt", by: "crash" });
    expect(turnStateIn(turn.entries)).toEqual(
      cut({ while: "tools", openCalls: [bash], finishedCalls: [edit], interruptedBy: "crash" }),
    );
  });

  it("is cut between two steps if all results are in and the turn did not continue", () => {
    const turn = twoCalls().starts("a").ends("a").starts("b").ends("b");
    expect(turnStateIn(turn.entries)).toEqual(cut({ while: "tools", finishedCalls: [bash, edit] }));
  });

  it("is about the last step alone", () => {
    const turn = twoCalls().starts("a").ends("a").starts("b").ends("b");
    turn.step();
    expect(turnStateIn(turn.entries)).toEqual(cut({ step: 2 }));
    turn.tell({ kind: "interrupt", by: "limit" });
    expect(turnStateIn(turn.entries)).toEqual(cut({ step: 2, interruptedBy: "limit" }));
  });

  it("still names a call that was open when the next prompt came", () => {
    const turn = twoCalls().starts("a").starts("b").ends("b");
    turn.prompt("and now?");
    expect(turnStateIn(turn.entries)).toEqual(
      cut({
        step: 0,
        while: "before-first-step",
        prompt: "and now?",
        openCalls: [bash],
        finishedCalls: [edit],
      }),
    );
  });

  it("is that of what the user asked for, also on a branch that the agent went back from", () => {
    const turn = begun();
    const step = turn.step();
    turn.tell({
      kind: "backtrack",
      to: toCheckpointNumber(1),
      from: "000000000001" as EntryId,
      files: "keep",
      note: "it is in pool.ts",
      prompts: [[textPart("hurry")]],
      told: [],
      changed: [],
      running: [],
      times: 1,
      estimate,
    });
    expect(turnStateIn(turn.entries)).toEqual(cut({ prompt: "hurry" }));
    expect(turnStateIn(turn.entries.slice(0, -1))).toEqual(cut({ step: step.number }));
  });

  it("is the user's doing if they went back into it", () => {
    const turn = begun();
    const step = turn.step();
    turn.reply("Mended.");
    turn.rewindTo(step);
    const branch = turn.entries.filter(({ kind }) => kind !== "reply");
    expect(turnStateIn(branch)).toEqual(cut({ interruptedBy: "person" }));
  });

  it("is not changed by a user command, whether that ended or was cut", () => {
    const ended = begun();
    ended.step();
    ended.reply("Mended.");
    const command = "shell-0123456789ab";
    expect(turnStateIn(ended.starts(command, "Shell").entries)).toEqual({ state: "idle" });
    expect(turnStateIn(ended.ends(command).entries)).toEqual({ state: "idle" });
    const broken = twoCalls().starts("a");
    const before = turnStateIn(broken.entries);
    expect(before).toEqual(cut({ while: "tools", openCalls: [bash], unstartedCalls: [edit] }));
    expect(turnStateIn(broken.starts(command, "Shell").ends(command).entries)).toEqual(before);
  });
});
