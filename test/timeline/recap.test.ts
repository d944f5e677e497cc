import { describe, expect, it } from "vitest";
import type { EntryOf } from "../../src/record/entry.ts";
import type { Json } from "../../src/record/parts.ts";
import { textPart } from "../../src/record/parts.ts";
import { Story } from "../../src/testing/story.ts";
import { LOAD_TOOL, SHELL_TOOL } from "../../src/timeline/calls.ts";
import { cutCommandIn, nextOf, workIn } from "../../src/timeline/recap.ts";
import type { TurnState } from "../../src/timeline/turn-state.ts";

const TYPED = "shell-0123456789ab";
const TYPED_LATER = "shell-0123456789cd";

type Outcome = EntryOf<"tool-end">["outcome"];

class Work extends Story {
  /** A reply with text and one call. */
  requests(input: Json, call = "c"): this {
    const part = { type: "tool-call" as const, call, name: "Tool", input };
    this.tell({ kind: "reply", model: "m", parts: [textPart("I will."), part], estimate: 1 });
    return this;
  }

  starts(call = "c", input?: Json, name = "Tool"): this {
    this.tell({ kind: "tool-start", call, name, ...(input === undefined ? {} : { input }) });
    return this;
  }

  ends(outcome: Outcome = "ok", call = "c"): this {
    this.tell({ kind: "tool-end", call, outcome, parts: [], estimate: 1 });
    return this;
  }

  /** A step with one call. */
  does(input: Json, outcome: Outcome = "ok"): this {
    this.step();
    return this.requests(input).starts().ends(outcome);
  }

  get done(): ReturnType<typeof workIn> {
    return workIn(this.entries, "/work");
  }
}

function begun(): Work {
  const work = new Work();
  work.begin("/work");
  work.prompt("Fix the leak.");
  return work;
}

const write = (path: string) => ({ file_path: path, content: "text" });
const edit = (path: string) => ({ file_path: path, old_string: "a", new_string: "b" });
const bash = (command: string) => ({ command });

describe("the files of the work done", () => {
  it("are those that calls wrote, edited, or changed a cell of", () => {
    const work = begun()
      .does(write("/work/src/new.ts"))
      .does(edit("/work/src/pool.ts"))
      .does({ notebook_path: "/work/leak.ipynb", cell_id: "c1", new_source: "print(2)" });
    expect(work.done).toEqual({ files: ["src/new.ts", "src/pool.ts", "leak.ipynb"], commands: [] });
  });

  it.each<[string, Json]>([
    ["only read a file", { file_path: "/work/a.ts", offset: 1 }],
    ["only read a notebook", { notebook_path: "/work/leak.ipynb", content: "all" }],
    ["name no file", { content: "text", new_string: "b", new_source: "c" }],
    ["have null as input", null],
    ["have a text as input", "file_path"],
    ["have a list as input", ["file_path", "content"]],
    ["have something other than a text as command", { command: ["npm", "test"] }],
  ])("do not include those of calls that %s", (_, input) => {
    expect(begun().does(input).done).toEqual({ files: [], commands: [] });
  });

  it.each(["error", "denied", "interrupted"] as const)(
    "do not include those of calls whose outcome is %s",
    (outcome) => {
      expect(begun().does(write("/work/a.ts"), outcome).done).toEqual({ files: [], commands: [] });
    },
  );

  it("are each named once, the most recently changed last", () => {
    const work = begun().does(write("/work/a.ts")).does(write("/work/b.ts")).does(edit("/work/a.ts"));
    expect(work.done.files).toEqual(["b.ts", "a.ts"]);
  });

  it("keep their absolute paths outside the workspace, and if the workspace is not known", () => {
    const work = begun().does(write("/work/a.ts")).does(write("/workshop/b.ts")).does(write("c.ts"));
    expect(work.done.files).toEqual(["a.ts", "/workshop/b.ts", "c.ts"]);
    expect(workIn(work.entries, "").files).toEqual(["/work/a.ts", "/workshop/b.ts", "c.ts"]);
  });
});

describe("the commands of the work done", () => {
  it("are those that ran, also if they failed or were interrupted, but not those that were denied", () => {
    const work = begun()
      .does(bash("npm ci"))
      .does(bash("npm test"), "error")
      .does(bash("npm start"), "interrupted")
      .does(bash("rm -rf /"), "denied");
    expect(work.done).toEqual({
      files: [],
      commands: [
        { command: "npm ci", outcome: "ok" },
        { command: "npm test", outcome: "error" },
        { command: "npm start", outcome: "interrupted" },
      ],
    });
  });

  it("are each named once, with the last outcome and at the last place", () => {
    const work = begun().does(bash("npm test"), "error").does(bash("npm ci")).does(bash("npm test"));
    expect(work.done.commands).toEqual([
      { command: "npm ci", outcome: "ok" },
      { command: "npm test", outcome: "ok" },
    ]);
  });

  it("include those that the user ran, marked with !, apart from the same commands of the agent", () => {
    const work = begun().does(bash("npm test"), "error");
    work.starts(TYPED, bash("npm test"), SHELL_TOOL).ends("ok", TYPED);
    expect(work.done.commands).toEqual([
      { command: "npm test", outcome: "error" },
      { command: "! npm test", outcome: "ok" },
    ]);
  });

  it("do not include a call of the user without a command, or one whose start is lost", () => {
    const work = begun().starts(TYPED, { file_path: "notes.md" }, LOAD_TOOL).ends("ok", TYPED);
    work.starts(TYPED_LATER, undefined, SHELL_TOOL).ends("ok", TYPED_LATER);
    work.ends("error", "shell-0123456789ef");
    expect(work.done).toEqual({ files: [], commands: [] });
  });

  it("do not include calls that have not ended", () => {
    const work = begun().requests(bash("npm test")).starts();
    expect(work.done).toEqual({ files: [], commands: [] });
  });

  it("do not include a result that no call of the last step is waiting for", () => {
    const work = begun().requests(bash("npm test")).starts();
    work.step();
    expect(work.ends().ends("ok", "other").done).toEqual({ files: [], commands: [] });
  });
});

describe("a call that ran with another input than the model requested", () => {
  it("counts as what ran", () => {
    const work = begun().requests(bash("npm test")).starts("c", bash("npm test --silent")).ends();
    work.step();
    work.requests(write("/work/a.ts")).starts("c", write("/work/b.ts")).ends();
    expect(work.done).toEqual({
      files: ["b.ts"],
      commands: [{ command: "npm test --silent", outcome: "ok" }],
    });
  });

  it("does not affect later calls with the same id", () => {
    const work = begun().requests(bash("npm test")).starts("c", bash("npm test --silent")).ends();
    expect(work.requests(bash("npm ci")).ends("error").done.commands).toEqual([
      { command: "npm test --silent", outcome: "ok" },
      { command: "npm ci", outcome: "error" },
    ]);
  });
});

describe("the command that was cut", () => {
  it("is the user's last command without an end", () => {
    const work = begun().starts(TYPED, bash("npm run watch"), SHELL_TOOL);
    work.starts(TYPED_LATER, bash("npm\n test"), SHELL_TOOL);
    expect(cutCommandIn(work.entries)).toBe("! npm test");
    expect(cutCommandIn(work.ends("interrupted", TYPED_LATER).entries)).toBe("! npm run watch");
    expect(cutCommandIn(work.ends("ok", TYPED).entries)).toBeUndefined();
  });

  it("is never a call of the agent", () => {
    expect(cutCommandIn(begun().requests(bash("npm test")).starts().entries)).toBeUndefined();
  });

  it("is named as the user typed it", () => {
    const work = begun().starts(TYPED, { file_path: "notes.md" }, LOAD_TOOL);
    expect(cutCommandIn(work.entries)).toBe("/load-context notes.md");
  });
});

describe("what comes next", () => {
  const idle: TurnState = { state: "idle" };
  const cut: TurnState = {
    state: "cut",
    step: 1,
    while: "replying",
    prompt: "Fix the leak.",
    openCalls: [],
    finishedCalls: [],
    unstartedCalls: [],
    unansweredCalls: [],
    interruptedBy: "unknown",
  };
  const find = { text: "find it", status: "done" } as const;
  const fix = { text: "fix it", status: "open" } as const;
  const test = { text: "test it", status: "open" } as const;

  it("is the todo that is being done, before any open one", () => {
    const doing = { text: "document it", status: "doing" } as const;
    expect(nextOf([find, fix, doing], idle)).toEqual({ do: "todo", text: "document it" });
  });

  it("is otherwise the first open todo", () => {
    expect(nextOf([find, fix, test], cut)).toEqual({ do: "todo", text: "fix it" });
  });

  it("is the answer to the prompt of a turn that was cut, if no todo is open", () => {
    expect(nextOf([find], cut)).toEqual({ do: "answer", prompt: "Fix the leak." });
  });

  it("is nothing if the turn has ended and no todo is open", () => {
    expect(nextOf([find], idle)).toEqual({ do: "nothing" });
  });
});
