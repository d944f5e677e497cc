import { describe, expect, it } from "vitest";
import { findTurn, turnExecution } from "../../../src/executions/turns/turn-execution.ts";
import { newPersonCall, SHELL_TOOL } from "../../../src/timeline/calls.ts";
import { agentSession, callingStep, replyingStep } from "./told-turns.ts";

async function turnOf(told: Awaited<ReturnType<typeof agentSession>>, number: number) {
  const found = await findTurn(told.deps.store, {
    id: `turn-${told.session.id}-${number}`,
    scope: "/work",
  });
  if (found === undefined) throw new Error("no such turn");
  return turnExecution(told.deps, found.id, { name: "a program" });
}

/** The main fields of a turn's execution. */
async function inShort(told: Awaited<ReturnType<typeof agentSession>>, number: number) {
  const steps = await (await turnOf(told, number)).checkpoints();
  return steps.map(
    ({ id, name, status, checkpoint, branch }) =>
      `${id.slice(id.lastIndexOf("-") + 1)} ${name} ${status} #${checkpoint} ${branch}`,
  );
}

describe("a turn of an agent", () => {
  it("has a step for each model call, with everything that a program's step has", async () => {
    const told = await agentSession();
    const { session } = told;
    const { checkpoint } = await session.prompt("find the leak");
    await callingStep(session, { Read: "ok", Bash: "ok" });
    await replyingStep(session, "Fixed.");
    const execution = `turn-${session.id}-${checkpoint}`;
    const common = {
      execution,
      attempt: 1,
      status: "success",
      error: undefined,
      context: { session: session.id, prompt: "find the leak" },
      variables: {},
      time: new Date(Date.UTC(2026, 0, 1)),
      branch: "here",
    };
    const call = { about: "a.ts", outcome: "ok" };
    const turn = await turnOf(told, checkpoint);
    expect([turn.id, turn.session]).toEqual([execution, session.id]);
    expect(await turn.checkpoints()).toEqual([
      {
        ...common,
        id: `ckpt-${execution}-0@1`,
        name: "Read, Bash",
        index: 0,
        state: { checkpoint: 2, files: "none" },
        metadata: {
          model: "scripted",
          calls: [
            { ...call, call: "Read-2", name: "Read" },
            { ...call, call: "Bash-2", name: "Bash" },
          ],
        },
        output: undefined,
        checkpoint: 2,
      },
      {
        ...common,
        id: `ckpt-${execution}-1@1`,
        name: "reply",
        index: 1,
        state: { checkpoint: 3, files: "none" },
        metadata: { model: "scripted", calls: [] },
        output: "Fixed.",
        checkpoint: 3,
      },
    ]);
  });

  it("counts retries at one place as attempts, also after a backtrack and a rewind", async () => {
    const told = await agentSession();
    const { session } = told;
    await session.prompt("try");
    const first = await callingStep(session, { Edit: "ok" });
    const second = await session.step();
    await session.reply({
      model: "scripted",
      parts: [{ type: "tool-call", call: "b", name: "Backtrack", input: {} }],
    });
    await session.toolStart("b", "Backtrack");
    await session.requestBacktrack("b", { to: first, note: "the other file", files: "keep" });
    await session.endStep();
    await callingStep(session, { Write: "ok" });
    await session.rewind(second);
    await replyingStep(session, "Done.");
    expect(await inShort(told, 1)).toEqual([
      "0@1 Edit success #2 here",
      "0@2 Write success #4 left",
      "1@1 Backtrack success #3 here",
      "1@2 reply success #5 here",
    ]);
  });

  it("tells what is open, what failed and what was cut off", async () => {
    const told = await agentSession();
    const { session } = told;
    await session.prompt("go");
    await callingStep(session, { Bash: "error", Read: "ok" });
    await callingStep(session, { Bash: "denied" });
    await session.step();
    await session.append({ kind: "error", code: "MODEL_BUSY", message: "Too many requests." });
    await callingStep(session, { Write: "open" });
    await session.append({ kind: "interrupt", by: "crash" });
    const turn = await turnOf(told, 1);
    expect((await turn.checkpoints()).map(({ name, status, error }) => [name, status, error])).toEqual([
      ["Bash, Read", "failed", { message: "Bash: Bash said so" }],
      ["Bash", "success", undefined],
      ["reply", "failed", { code: "MODEL_BUSY", message: "Too many requests." }],
      ["Write", "pending", { message: "Interrupted: crash" }],
    ]);
    await session.prompt("and now");
    await session.step();
    expect(await inShort(told, 6)).toEqual(["0@1 reply pending #7 here"]);
  });

  it("has one step for a user command", async () => {
    const told = await agentSession();
    const { session } = told;
    const { number } = await session.mark();
    const call = newPersonCall((count) => new Uint8Array(count));
    await session.toolStart(call, SHELL_TOOL, { input: { command: "npm test" } });
    await session.toolEnd(call, "error", "1 failed");
    await session.prompt("mend it");
    const [step, ...others] = await (await turnOf(told, number)).checkpoints();
    expect(others).toEqual([]);
    expect(step).toMatchObject({
      name: "Shell",
      status: "failed",
      error: { message: "Shell: 1 failed" },
      output: "1 failed",
      context: { prompt: "! npm test" },
      metadata: { calls: [{ call, name: "Shell", about: "npm test", outcome: "error" }] },
    });
  });

  it("is found without reading what it says", async () => {
    const { deps, session } = await agentSession();
    await session.prompt("go");
    await callingStep(session, { Edit: "ok" });
    const read: number[] = [];
    const store = {
      ...deps.store,
      read: async (...asked: Parameters<typeof deps.store.read>) => {
        read.push(asked[2]);
        return deps.store.read(...asked);
      },
    };
    expect(await findTurn(store, { id: `turn-${session.id}-1`, scope: "/work" })).toEqual({
      id: { session: session.id, number: 1 },
      header: session.header,
    });
    expect(new Set(read)).toEqual(new Set([1]));
  });

  it("finds a step by its id, and the last one that succeeded", async () => {
    const told = await agentSession();
    await told.session.prompt("go");
    await callingStep(told.session, { Edit: "ok" });
    await callingStep(told.session, { Bash: "error" });
    await replyingStep(told.session, "Done.");
    const turn = await turnOf(told, 1);
    const [first, second, third] = await turn.checkpoints({ branch: "here" });
    expect(await turn.checkpoint(`ckpt-${turn.id}-1`)).toEqual(second);
    expect(await turn.checkpoint(`ckpt-${turn.id}-1@1`)).toEqual(second);
    expect(await turn.checkpoint(`ckpt-${turn.id}-1@2`)).toBeUndefined();
    expect(await turn.lastSuccessful()).toEqual(third);
    expect(await turn.lastSuccessful({ before: 2 })).toEqual(first);
    expect(await turn.lastSuccessful({ before: 0 })).toBeUndefined();
  });

  it("is rewound into by a rewind of its session, and names the holder", async () => {
    const told = await agentSession();
    const { session, deps } = told;
    await session.prompt("go");
    await callingStep(session, { Edit: "ok" });
    await replyingStep(session, "Done.");
    const turn = await turnOf(told, 1);
    const id = `ckpt-${turn.id}-0`;
    expect(await turn.resumeFrom(id)).toMatchObject({
      success: false,
      error: { code: "SESSION_HELD", message: expect.stringContaining("the agent") },
    });
    await session.close();
    const before = await turn.checkpoint(id);
    expect(await turn.resumeFrom(id, ({ name }) => name)).toEqual({ success: true, output: "Edit" });
    expect(await inShort(told, 1)).toEqual(["0@1 Edit success #2 here", "1@1 reply success #3 left"]);
    expect(await turn.rollbackTo(`ckpt-${turn.id}-1`)).toMatchObject({
      success: true,
      output: { checkpoint: { name: "reply" }, files: undefined },
    });
    expect(await turn.retryFrom(1)).toEqual({ success: true, output: before });
    expect((await deps.store.open(session.id)).outline.linesOf("rewind")).toHaveLength(3);
  });

  it("follows the rules of a program's: state before the head, the branch's own attempt, and nothing in its own place", async () => {
    const told = await agentSession();
    const { session, deps } = told;
    await session.prompt("go");
    const first = await callingStep(session, { Edit: "ok" });
    await session.rewind(first);
    await callingStep(session, { Write: "ok" });
    await session.rewind(first);
    await session.close();
    const turn = await turnOf(told, 1);
    expect(await turn.checkpoint(`ckpt-${turn.id}-0`)).toMatchObject({ attempt: 1, branch: "here" });
    const stamp = await deps.store.stamp(session.id);
    expect(await turn.resumeFrom(`ckpt-${turn.id}-0`)).toMatchObject({ success: true });
    expect(await turn.rollbackTo(`ckpt-${turn.id}-0`)).toMatchObject({ success: true });
    const cause = new Error("no database");
    const failed = await turn.resumeFrom(`ckpt-${turn.id}-0@2`, () => {
      throw cause;
    });
    expect(failed).toMatchObject({ success: false, error: { code: "REWIND_REFUSED", cause } });
    expect(await deps.store.stamp(session.id)).toBe(stamp);
  });

  it("refuses what only the agent may do, and what is not there", async () => {
    const told = await agentSession();
    await told.session.prompt("go");
    await replyingStep(told.session, "Done.");
    const turn = await turnOf(told, 1);
    const refused = { code: "INPUT_INVALID", hint: expect.any(String) };
    await expect(turn.step("mine", () => 1)).rejects.toMatchObject(refused);
    await expect(turn.save({ name: "mine", index: 0 })).rejects.toMatchObject(refused);
    await expect(turn.delete()).rejects.toMatchObject(refused);
    expect(await turn.retryFrom(1, { run: () => 1 })).toMatchObject({ success: false, error: refused });
    expect(await turn.retryFrom(0)).toMatchObject({
      error: { message: "No successful checkpoint found before step 0" },
    });
    expect(await turn.rollbackTo("ckpt-nothing-9")).toMatchObject({
      success: false,
      error: {
        message: "Checkpoint ckpt-nothing-9 not found",
        hint: `Checkpoints: ckpt-${turn.id}-0@1`,
      },
    });
    for (const name of [`turn-${told.session.id}-9`, "turn-azzzzzzzzz-1", "turn-1", "exec-1"]) {
      expect(await findTurn(told.deps.store, { id: name, scope: "/work" })).toBeUndefined();
    }
    await turn.close();
  });
});
