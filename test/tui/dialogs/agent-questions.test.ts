import { describe, expect, it } from "vitest";
import type { Question } from "../../../src/ports/person.ts";
import { en } from "../../../src/strings/en.ts";
import {
  askPlan,
  askQuestions,
  planDialog,
  questionDialog,
} from "../../../src/tui/dialogs/agent-questions.ts";
import { drawPlain } from "../../../src/tui/dialogs/pager.ts";
import { asker } from "./asker.ts";
import { play, roomOf } from "./played.ts";

const one: Question = {
  question: "Which database is it to be?",
  header: "Database",
  several: "one",
  options: [
    { label: "SQLite", description: "One file" },
    { label: "Postgres", description: "For several machines" },
  ],
};
const any: Question = { ...one, header: "Several", several: "any" };

describe("questions of the agent", () => {
  it("are asked one after the other", async () => {
    const context = asker([["2"], ["1", "2", "enter"]]);
    expect(await askQuestions(context, [one, any])).toEqual(["Postgres", "SQLite, Postgres"]);
    expect(context.asked).toEqual(["The agent asks: Database (1/2)", "The agent asks: Several (2/2)"]);
  });

  it("accept a free answer in addition to the selected ones", async () => {
    expect(await askQuestions(asker([["3", "'a file'", "enter"]]), [one])).toEqual(["a file"]);
    expect(await askQuestions(asker([["space", "end", "enter", "'and DuckDB'", "enter"]]), [any])).toEqual([
      "SQLite, and DuckDB",
    ]);
  });

  it("take the chosen row where nothing was ticked, and untick with Space", async () => {
    expect(await askQuestions(asker([["down", "enter"]]), [any])).toEqual(["Postgres"]);
    expect(await askQuestions(asker([["space", "space", "down", "space", "enter"]]), [any])).toEqual([
      "Postgres",
    ]);
  });

  it("go one back with Esc, and from the first say that they were closed", async () => {
    expect(await askQuestions(asker([["1"], ["escape"], ["2"], ["1", "enter"]]), [one, any])).toEqual([
      "Postgres",
      "SQLite",
    ]);
    const closed = "The user closed the question without answering it.";
    expect(await askQuestions(asker([["escape"]]), [one, any])).toEqual([closed, closed]);
  });

  it("cannot pass for a question for permission, nor hide the end of theirs", () => {
    const options = [{ label: `Yes, once${" ".repeat(60)}and all that comes later`, description: "" }];
    const forged: Question = {
      question: `Allow Bash?\n  ls${" ".repeat(300)}end`,
      header: "Allow\u200b Bash?",
      several: "one",
      options,
    };
    const { lines } = play(questionDialog(en, forged, { index: 0, of: 1 }), [], roomOf(40));
    expect(lines[0]).toBe("The agent asks: Allow<U+200B> Bash?");
    expect(lines.join(" ")).toMatch(/⋯ 300 spaces ⋯end.*Yes, once⋯ 60 spaces ⋯and all that\s+comes later/u);
  });

  it("show boxes where several may be ticked", () => {
    expect(play(questionDialog(en, any, { index: 0, of: 1 }), ["down", "space"], roomOf(40)).lines).toEqual([
      "The agent asks: Several",
      "Which database is it to be?",
      "  1. [ ] SQLite  One file",
      "> 2. [x] Postgres  For several machines",
      "  3. Something else (type your answer)",
      "Space select · Enter confirm",
      "Esc cancel",
    ]);
  });
});

describe("a plan", () => {
  const text = Array.from({ length: 12 }, (_, line) => `line ${line + 1}`).join("\n");

  it("is read above its answers, page by page", () => {
    expect(play(planDialog(en, text, drawPlain), ["pageDown"], roomOf(40, 10)).lines).toEqual([
      "Carry out this plan?                8/12",
      "line 5",
      "line 6",
      "line 7",
      "line 8",
      "> 1. Yes, and ask before each change",
      "  2. Yes, edit files without asking",
      "  3. Yes, do everything without asking",
      "  4. No, and say what to change",
      "1-4 · PgUp PgDn scroll · Esc decline",
    ]);
  });

  it("is approved in a mode, or refused with a reason", async () => {
    const answers = [["1"], ["2"], ["down", "down", "enter"], ["4", "'tests first'", "enter"], ["escape"]];
    const told = await Promise.all(answers.map((keys) => askPlan(asker([keys]), text, drawPlain)));
    expect(told).toEqual([
      { answer: "approved", mode: "manual" },
      { answer: "approved", mode: "accept-edits" },
      { answer: "approved", mode: "auto" },
      { answer: "no", reason: "tests first" },
      { answer: "no", reason: "The user declined.", because: { code: "declined" } },
    ]);
  });
});
