import { describe, expect, it } from "vitest";
import { viewSession } from "../../../src/machine/open.ts";
import { recapOf, turnStateOf } from "../../../src/machine/queries/recap.ts";
import type { Session } from "../../../src/machine/session.ts";
import { type EntryId, toCheckpointNumber } from "../../../src/record/ids.ts";
import type { Json } from "../../../src/record/parts.ts";
import { textPart } from "../../../src/record/parts.ts";
import { findCheckpoint } from "../../../src/timeline/checkpoints.ts";
import { afterCrash, begin, openSessionDeps, reopen } from "../deps.ts";

interface Call {
  readonly name: string;
  readonly input: Json;
  readonly outcome: Parameters<Session["toolEnd"]>[1];
}

/** A step with one call. */
async function calls(session: Session, { name, input, outcome }: Call): Promise<void> {
  await session.step();
  await session.reply({ model: "m", parts: [{ type: "tool-call", call: "c", name, input }] });
  await session.toolStart("c", name);
  await session.toolEnd("c", outcome, "result ".repeat(10_000));
}

const write = (file_path: string, content: string): Call => ({
  name: "Write",
  input: { file_path, content },
  outcome: "ok",
});
const edit = (file_path: string, outcome: Call["outcome"] = "ok"): Call => ({
  name: "Edit",
  input: { file_path, old_string: "a", new_string: "b" },
  outcome,
});
const cell = (notebook_path: string): Call => ({
  name: "NotebookEdit",
  input: { notebook_path, cell_id: "c1", new_source: "print(2)", edit_mode: "replace" },
  outcome: "ok",
});
const bash = (command: string, outcome: Call["outcome"]): Call => ({
  name: "Bash",
  input: { command },
  outcome,
});

describe("the recap of a session", () => {
  it("is empty for one that has not begun", async () => {
    const session = await begin(openSessionDeps());
    expect(await recapOf(session)).toEqual({
      title: "",
      done: { todos: [], files: [], commands: [], reach: "whole" },
      open: { todos: [], turn: { state: "idle" } },
      next: { do: "nothing" },
    });
  });

  it("says from todos and the log what is done, open and next", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("Mend the leak.");
    const read: Call = { name: "Read", input: { file_path: "/work/README.md" }, outcome: "ok" };
    await calls(session, write("/work/src/pool.ts", "x".repeat(100_000)));
    await calls(session, read);
    await calls(session, bash("npm test", "error"));
    await calls(session, edit("/elsewhere/a.ts"));
    await calls(session, edit("/work/no.ts", "error"));
    await calls(session, cell("/work/notes.ipynb"));
    await calls(session, edit("/work/src/pool.ts"));
    await calls(session, bash("rm -rf /", "denied"));
    await session.todos([
      { text: "find it", status: "done" },
      { text: "mend it", status: "open" },
      { text: "test it", status: "doing" },
    ]);
    await session.step();
    const recap = await recapOf(await reopen(deps, session));
    expect(recap).toEqual({
      title: "Mend the leak.",
      prompt: "Mend the leak.",
      done: {
        todos: ["find it"],
        files: ["/elsewhere/a.ts", "notes.ipynb", "src/pool.ts"],
        commands: [{ command: "npm test", outcome: "error" }],
        reach: "whole",
      },
      open: {
        todos: [
          { text: "mend it", status: "open" },
          { text: "test it", status: "doing" },
        ],
        turn: expect.objectContaining({ state: "cut", while: "replying", step: 10 }),
      },
      next: { do: "todo", text: "test it" },
    });
  });

  it("goes with the branch: what was done on a way that was left is not done", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("One.");
    await session.step();
    await session.reply({ model: "m", parts: [textPart("Done.")] });
    const { checkpoint } = await session.prompt("Two.");
    await session.todos([{ text: "two", status: "open" }]);
    await calls(session, write("/work/two.ts", "2"));
    await session.rewind(checkpoint);
    expect(await recapOf(session)).toMatchObject({
      prompt: "One.",
      done: { files: [] },
      open: { todos: [], turn: { state: "idle" } },
      next: { do: "nothing" },
    });
  });

  it.each(["keep", "restore"] as const)("counts as done what a backtrack left (files: %s)", async (files) => {
    const session = await begin(openSessionDeps());
    await session.prompt("First of all.");
    const to = await session.step();
    await session.reply({ model: "m", parts: [textPart("One.")] });
    await session.prompt("Second of all.");
    await calls(session, write("/work/a.ts", "a"));
    await calls(session, bash("npm test", "ok"));
    await session.step();
    await session.reply({
      model: "m",
      parts: [{ type: "tool-call", call: "back", name: "Backtrack", input: {} }],
    });
    const draft = {
      kind: "backtrack",
      ...{ to: toCheckpointNumber(to), from: session.outline.head?.id as EntryId, files, note: "Known." },
      ...{ prompts: [[textPart("Second of all.")]], told: [], changed: [], running: [], times: 1 },
    } as const;
    await session.write([{ draft, parent: findCheckpoint(session.outline, to)?.id as EntryId }]);
    await session.step();
    await session.reply({ model: "m", parts: [textPart("Two.")] });
    expect(await recapOf(session)).toMatchObject({
      prompt: "Second of all.",
      done: {
        answer: "Two.",
        files: files === "keep" ? ["a.ts"] : [],
        commands: [{ command: "npm test", outcome: "ok" }],
      },
      open: { turn: { state: "idle" } },
    });
  });

  it("reads the end of a long branch only", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("Go.");
    await calls(session, write("/work/first.ts", "1"));
    for (let index = 0; index < 200; index += 1) {
      await session.step();
      await session.reply({ model: "m", parts: [{ type: "tool-call", call: "c", name: "Read", input: {} }] });
      await session.toolEnd("c", "ok", "text");
    }
    const view = await viewSession(deps.store, session.id);
    deps.reads.lines = 0;
    expect((await recapOf(view)).done).toEqual({ todos: [], files: [], commands: [], reach: "recent" });
    expect(deps.reads.lines).toBeLessThan(1_300);
  });
});

describe("the state of a turn, read from a log", () => {
  it("names what was open when the program died", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("Mend the leak.");
    const step = await session.step();
    const input = { command: "npm test" };
    await session.reply({ model: "m", parts: [{ type: "tool-call", call: "c", name: "Bash", input }] });
    await session.toolStart("c", "Bash");
    const reopened = await afterCrash(deps, session.id);
    expect(await turnStateOf(reopened)).toMatchObject({
      state: "cut",
      step,
      while: "tools",
      prompt: "Mend the leak.",
      openCalls: [{ call: "c", name: "Bash", about: "npm test" }],
    });
  });

  it("is idle after an answer, whatever is captured or named afterward", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("Hello.");
    await session.step();
    await session.reply({ model: "m", parts: [textPart("Hi.")] });
    await session.checkpoint("here");
    await session.retitle("A talk");
    expect(await turnStateOf(session)).toEqual({ state: "idle" });
  });
});
