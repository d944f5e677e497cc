import { describe, expect, it } from "vitest";
import { recapText } from "../../src/show/recap-text.ts";
import { stringsFor } from "../../src/strings/strings.ts";
import type { Recap } from "../../src/timeline/recap.ts";

const nothing: Recap = {
  title: "",
  done: { todos: [], files: [], commands: [], reach: "whole" },
  open: { todos: [], turn: { state: "idle" } },
  next: { do: "nothing" },
};

const lines = (recap: Partial<Recap>): string[] =>
  recapText({ ...nothing, ...recap }, stringsFor("en")).split("\n");

const bash = { call: "a", name: "Bash", about: "npm test" };

describe("a recap", () => {
  it("is three lines where nothing has happened", () => {
    expect(lines({})).toEqual(["done  nothing yet", "open  nothing", "next  your next prompt"]);
  });

  it("says what was done, what is open and what comes next", () => {
    const recap = lines({
      prompt: "Mend\nthe leak.",
      done: {
        todos: ["find it"],
        files: ["1", "2", "3", "4", "5", "6", "7", "8"],
        commands: [{ command: "npm test", outcome: "error" }],
        reach: "whole",
      },
      open: {
        todos: [{ text: "mend it", status: "doing" }],
        turn: {
          state: "cut",
          step: 12,
          while: "tools",
          prompt: "Mend the leak.",
          openCalls: [bash],
          finishedCalls: [],
          unstartedCalls: [bash, bash],
          unansweredCalls: [],
          interruptedBy: "crash",
        },
      },
      next: { do: "todo", text: "mend it" },
    });
    expect(recap).toEqual([
      "asked  Mend the leak.",
      "done   todos: find it",
      "       changed: 8, 7, 6, 5, 4, 3, 2 more",
      "       ran: npm test (failed)",
      "open   the turn was interrupted at step #12, while its tools were running, because the program ended",
      "       Bash npm test was started but did not finish, so it may or may not have taken effect",
      "       2 calls were requested but not started",
      "       mend it (in progress)",
      "next   mend it",
    ]);
  });

  it("says which prompt was not answered, and what went wrong", () => {
    const turn = {
      state: "cut",
      step: 0,
      while: "before-first-step",
      prompt: "Mend it.",
      openCalls: [],
      finishedCalls: [],
      unstartedCalls: [],
      unansweredCalls: [],
      interruptedBy: "unknown",
      error: { code: "MODEL_UNREACHABLE", message: "Nobody answers." },
    } as const;
    expect(lines({ open: { todos: [], turn }, next: { do: "answer", prompt: "Mend it." } })).toEqual([
      "done  nothing yet",
      "open  the last prompt was not answered, because the turn failed",
      "      what went wrong: Nobody answers.",
      'next  answer the prompt "Mend it."',
    ]);
  });
});
