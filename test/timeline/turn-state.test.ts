import { describe, expect, it } from "vitest";
import type { EntryOf } from "../../src/record/entry.ts";
import type { EntryId } from "../../src/record/ids.ts";
import { toCheckpointNumber } from "../../src/record/ids.ts";
import type { Json, ReplyPart } from "../../src/record/parts.ts";
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

  starts(call: string, name = "Bash", input?: Json): this {
    this.tell({ kind: "tool-start", call, name, ...(input === undefined ? {} : { input }) });
    return this;
  }

  ends(call: string, outcome: EntryOf<"tool-end">["outcome"] = "ok"): this {
    this.tell({ kind: "tool-end", call, outcome, parts: [textPart("done")], estimate });
    return this;
  }

  breaksOff(text: string): this {
    this.tell({ kind: "reply", model: "m", parts: [textPart(text)], end: "interrupted", estimate });
    return this;
  }

  fails(message = "No answer."): this {
    this.tell({ kind: "error", code: "MODEL_UNREACHABLE", message });
    return this;
  }

  interrupted(by: EntryOf<"interrupt">["by"] = "person"): this {
    this.tell({ kind: "interrupt", by });
    return this;
  }

  backtracks(...prompts: readonly string[]): this {
    this.tell({
      kind: "backtrack",
      to: toCheckpointNumber(1),
      from: "000000000001" as EntryId,
      files: "keep",
      note: "it is in pool.ts",
      prompts: prompts.map((prompt) => [textPart(prompt)]),
      told: [],
      changed: [],
      running: [],
      times: 1,
      estimate,
    });
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
    turn.interrupted();
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
    turn.breaksOff("It i").interrupted();
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
    turn.interrupted("crash");
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
    turn.interrupted("limit");
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
    turn.backtracks("slowly", "carefully", "hurry");
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

describe("the request of a turn", () => {
  it("is the last prompt, also after a backtrack that repeats none", () => {
    const turn = begun();
    turn.step();
    expect(turnStateIn(turn.backtracks().entries)).toEqual(cut({}));
  });

  it("is the new prompt after an answered one", () => {
    const turn = begun("hello");
    turn.step();
    turn.reply("Hi.");
    turn.prompt("mend it");
    expect(turnStateIn(turn.entries)).toEqual(cut({ step: 0, while: "before-first-step" }));
  });

  it("is what a backtrack repeats, also where the turn before it was answered", () => {
    const turn = begun("hello");
    turn.step();
    turn.reply("Hi.");
    expect(turnStateIn(turn.backtracks("mend it").entries)).toEqual(cut({}));
  });

  it("is answered by a reply without calls, also by an empty one", () => {
    const turn = begun();
    turn.step();
    turn.calls();
    expect(turnStateIn(turn.entries)).toEqual({ state: "idle" });
  });

  it("is not answered by a reply that also has a call", () => {
    const turn = begun();
    turn.step();
    const call: ReplyPart = { type: "tool-call", call: "a", name: "Bash", input: { command: "npm test" } };
    turn.tell({ kind: "reply", model: "m", parts: [textPart("I look."), call], estimate });
    expect(turnStateIn(turn.entries)).toEqual(cut({ while: "tools", unstartedCalls: [bash] }));
  });
});

describe("the calls of a cut turn", () => {
  it("are matched by their ids, whatever their order", () => {
    expect(turnStateIn(twoCalls().starts("b", "Edit").entries)).toEqual(
      cut({ while: "tools", openCalls: [edit], unstartedCalls: [bash] }),
    );
  });

  it("are matched in order if one reply uses an id twice", () => {
    const turn = begun();
    turn.step();
    turn.calls(["a", "Bash", { command: "npm test" }], ["a", "Edit", { file_path: "src/pool.ts" }]);
    expect(turnStateIn(turn.starts("a").starts("a", "Edit").entries)).toEqual(
      cut({ while: "tools", openCalls: [bash, { ...edit, call: "a" }] }),
    );
  });

  it("are finished if they were denied, although they never started", () => {
    expect(turnStateIn(twoCalls().ends("a", "denied").entries)).toEqual(
      cut({ while: "tools", finishedCalls: [bash], unstartedCalls: [edit] }),
    );
  });

  it("were made by the tools' step even if a later reply broke off", () => {
    const turn = twoCalls().starts("a").ends("a").breaksOff("It i");
    expect(turnStateIn(turn.entries)).toEqual(
      cut({ while: "tools", finishedCalls: [bash], unstartedCalls: [edit] }),
    );
    const both = twoCalls().starts("a").ends("a").starts("b", "Edit").breaksOff("It i");
    expect(turnStateIn(both.entries)).toEqual(
      cut({ while: "tools", openCalls: [edit], finishedCalls: [bash] }),
    );
  });

  it("include one whose reply is lost, which still tells what it is about", () => {
    const turn = begun();
    turn.step();
    turn.starts("a", "Bash", { command: "npm test" });
    expect(turnStateIn(turn.entries)).toEqual(cut({ while: "tools", openCalls: [bash] }));
    expect(turnStateIn(turn.ends("a").entries)).toEqual(cut({ while: "tools", finishedCalls: [bash] }));
  });

  it("include one whose reply is lost among others", () => {
    const npm = { call: "c", name: "Bash", about: "" };
    const turn = twoCalls().starts("b", "Edit").starts("c").ends("c").starts("c").ends("c");
    expect(turnStateIn(turn.entries)).toEqual(
      cut({ while: "tools", openCalls: [edit], finishedCalls: [npm, npm], unstartedCalls: [bash] }),
    );
  });

  it("do not include one of which only the end is left", () => {
    const turn = begun();
    turn.step();
    expect(turnStateIn(turn.ends("a").entries)).toEqual(cut({ while: "tools" }));
  });

  it("are known even if the line of their step is lost", () => {
    const branch = twoCalls().entries.filter(({ kind }) => kind !== "step");
    expect(turnStateIn(branch)).toEqual(cut({ step: 0, while: "tools", unstartedCalls: [bash, edit] }));
  });
});

describe("the end of a cut turn", () => {
  const error = { code: "MODEL_UNREACHABLE", message: "No answer." };

  it("is the last error with everything that it says, and nothing that it does not", () => {
    const turn = begun();
    turn.step();
    const full = { ...error, hint: "Try again.", reason: "model-unreachable", params: { model: "m" } };
    turn.fails("Too slow.");
    expect(turnStateIn(turn.fails().entries)).toStrictEqual(cut({ error }));
    turn.tell({ kind: "error", ...full });
    expect(turnStateIn(turn.entries)).toStrictEqual(cut({ error: full }));
  });

  it("is unknown if the turn went on after an error or an interruption", () => {
    const turn = begun();
    turn.step();
    turn.fails().interrupted("limit");
    turn.step();
    expect(turnStateIn(turn.entries)).toStrictEqual(cut({ step: 2 }));
  });

  it("is unknown if a tool started or ended after it", () => {
    const turn = twoCalls().fails().interrupted().starts("a");
    expect(turnStateIn(turn.entries)).toStrictEqual(
      cut({ while: "tools", openCalls: [bash], unstartedCalls: [edit] }),
    );
    expect(turnStateIn(turn.fails().interrupted().ends("a").entries)).toStrictEqual(
      cut({ while: "tools", finishedCalls: [bash], unstartedCalls: [edit] }),
    );
  });

  it.each([
    ["a redo of the conversation", "redo", "conversation", "person"],
    ["a redo of the files and the conversation", "redo", "both", "person"],
    ["a rewind of the files and the conversation", "rewind", "both", "person"],
    ["nothing, if a rewind moved only the files", "rewind", "files", "unknown"],
    ["nothing, if a redo moved only the files", "redo", "files", "unknown"],
  ] as const)("is %s", (_what, kind, scope, interruptedBy) => {
    const turn = begun();
    const { id, number } = turn.step();
    if (kind === "rewind") turn.tell({ kind, to: number, from: id, scope });
    else turn.tell({ kind, journey: id, from: id, scope, revokes: "nothing", estimate });
    expect(turnStateIn(turn.entries)).toEqual(cut({ interruptedBy }));
  });
});
