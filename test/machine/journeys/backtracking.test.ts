import { describe, expect, it } from "vitest";
import type { Session } from "../../../src/machine/session.ts";
import { textPart } from "../../../src/record/parts.ts";
import { begin, kinds, openSessionDeps, reopen, reply, says, step } from "../deps.ts";

const request = { to: 2, note: "The leak is in pool.ts.", files: "keep" } as const;
const PENDING = "Another backtrack is already pending. Only one is possible in each step.";

/** A session in its second step, which has made these calls, the last of them Backtrack. */
async function inStep(...calls: readonly string[]): Promise<Session> {
  const session = await begin(openSessionDeps());
  await session.prompt("find the leak");
  await step(session, "I look", "a");
  await session.step();
  await session.reply({ model: "m", parts: reply("", ...calls) });
  return session;
}

describe("a backtrack that was filed", () => {
  it("is carried out when the step ends: its result comes last on the branch that is left", async () => {
    const session = await inStep("b", "back");
    expect(await session.requestBacktrack("back", request)).toEqual({ status: "filed" });
    await session.toolEnd("b", "ok", "nothing");
    const tokens = session.tokenCount;
    const end = await session.endStep({ changed: ["a.ts"], running: [] });
    expect(end).toMatchObject({ status: "carried-out", to: 2, entries: 7 });
    expect(await kinds(session)).toEqual(["session", "checkpoint", "prompt", "step", "backtrack"]);
    expect(session.tokenCount).toBeLessThan(tokens + 100);
    const [journey] = await session.entriesOf("backtrack");
    const [left] = await session.entries([session.outline.byId(journey?.from as never)?.seq as never]);
    expect(left).toMatchObject({ kind: "tool-end", call: "back", outcome: "ok" });
    expect(journey).toMatchObject({ told: ["I look"], prompts: [], changed: ["a.ts"], times: 1 });
  });

  it("returns the prompt that it went back to, the note and the rationale, as its entry has them", async () => {
    const session = await inStep("back");
    await session.prompt("and the pears?");
    const to = await step(session, "I look again", "b");
    await session.step();
    await session.reply({ model: "m", parts: reply("", "again") });
    await session.requestBacktrack("again", { ...request, rationale: "It was long." });
    const first = await session.endStep();
    const told = { note: request.note, rationale: "It was long.", prompt: "find the leak" };
    expect(first).toMatchObject({ status: "carried-out", ...told });
    expect((await session.entriesOf("backtrack")).at(-1)).toMatchObject(told);

    // From here on, the agent works on the prompt that the backtrack carried along.
    const later = await step(session, "I go on", "c");
    await session.step();
    await session.reply({ model: "m", parts: reply("", "last") });
    await session.requestBacktrack("last", { to: later, note: "Another note.", files: "keep" });
    const second = await session.endStep();
    expect(to).toBeLessThan(later);
    expect(second).toMatchObject({ status: "carried-out", prompt: "and the pears?", note: "Another note." });
    expect(second).not.toHaveProperty("rationale");
  });

  it("costs one durable append: the result and the journey together", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.step();
    await session.reply({ model: "m", parts: reply("", "back") });
    await session.requestBacktrack("back", { ...request, to: 1 });
    const before = deps.appends.length;
    await session.endStep();
    expect(deps.appends.slice(before)).toEqual([["tool-end", "backtrack"]]);
  });

  it("tells the model what the user asked meanwhile, word for word", async () => {
    const session = await inStep("back");
    await session.requestBacktrack("back", request);
    await session.prompt("use tabs");
    await session.endStep();
    const [journey] = await session.entriesOf("backtrack");
    expect(journey?.prompts).toEqual([[textPart("use tabs")]]);
    expect((await says(session)).at(-1)).toContain(
      "Since that checkpoint the person wrote, word for word:\n\n> use tabs",
    );
  });

  it("leaves the context before it as it was sent, to the byte", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("find the leak");
    const number = await session.step();
    const sent = JSON.stringify((await session.context()).messages);
    await session.reply({ model: "m", parts: reply("", "a", "back") });
    await session.toolEnd("a", "ok", "much");
    await session.requestBacktrack("back", { ...request, to: number });
    await session.endStep();
    expect(JSON.stringify((await session.context()).messages.slice(0, -1))).toBe(sent);
  });

  it("is undone by redo, and the model is told that the note no longer holds", async () => {
    const session = await inStep("back");
    const before = await says(session);
    await session.requestBacktrack("back", request);
    await session.endStep();
    await session.redo();
    const after = await says(session);
    expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    expect(after.slice(-2)).toEqual([
      "back ok: Going back to checkpoint 2.",
      "user: |The person undid your backtrack from here. The note that you wrote for it no longer holds.|",
    ]);
  });

  it("says how much left the branch", async () => {
    const session = await inStep("b", "back");
    await session.toolEnd("b", "ok", "many words ".repeat(500));
    await session.requestBacktrack("back", request);
    const end = await session.endStep();
    expect(end.status === "carried-out" ? end.tokens : 0).toBeGreaterThan(900);
  });
});

describe("two backtracks in one step", () => {
  it("are one: the second is refused", async () => {
    const session = await inStep("one", "two");
    expect(await session.requestBacktrack("one", request)).toEqual({ status: "filed" });
    expect(await session.requestBacktrack("two", request)).toMatchObject({
      status: "refused",
      message: PENDING,
    });
    await session.toolEnd("two", "error", PENDING);
    expect(await session.endStep()).toMatchObject({ status: "carried-out" });
    expect(session.outline.ofKind("backtrack")).toHaveLength(1);
  });

  it("are one also when they are asked for side by side", async () => {
    const session = await inStep("one", "two");
    const answers = await Promise.all(
      ["one", "two"].map(async (call) => session.requestBacktrack(call, request)),
    );
    expect(answers.map(({ status }) => status)).toEqual(["filed", "refused"]);
  });
});

describe("a backtrack is dropped, with a result that says why,", () => {
  async function dropped(session: Session): Promise<string> {
    const ends = await session.entriesOf("tool-end");
    const own = ends.filter((entry) => entry.call === "back");
    expect(own).toHaveLength(1);
    expect(session.outline.ofKind("backtrack")).toHaveLength(0);
    expect(await session.endStep()).toEqual({ status: "none" });
    return own
      .flatMap((entry) => entry.parts.map((part) => (part.type === "text" ? part.text : "")))
      .join("");
  }

  it("when another call in the step was denied", async () => {
    const session = await inStep("b", "back");
    await session.requestBacktrack("back", request);
    await session.toolEnd("b", "denied", "no");
    const why = "Another call in the same reply was denied.";
    expect(await session.endStep()).toEqual({ status: "dropped", why, reason: "backtrack-call-denied" });
    expect(await dropped(session)).toBe(`The backtrack was dropped. ${why}`);
  });

  it("when another call in the step was cut off or never ended", async () => {
    for (const end of [
      async (session: Session) => session.toolEnd("b", "interrupted", ""),
      async () => undefined,
    ]) {
      const session = await inStep("b", "back");
      await session.requestBacktrack("back", request);
      await end(session);
      expect(await session.endStep()).toMatchObject({
        status: "dropped",
        why: "Another call in the same reply did not finish.",
        reason: "backtrack-call-unfinished",
      });
    }
  });

  it("when the turn is interrupted", async () => {
    const session = await inStep("back");
    await session.requestBacktrack("back", request);
    await session.interrupt();
    expect(await dropped(session)).toBe("The backtrack was dropped. The turn was interrupted.");
    expect((await kinds(session)).slice(-2)).toEqual(["tool-end", "interrupt"]);
  });

  it("when the turn is interrupted while the step is ending", async () => {
    const session = await inStep("b", "back");
    await session.toolEnd("b", "ok", "");
    await session.requestBacktrack("back", request);
    const [end] = await Promise.all([session.endStep(), session.interrupt()]);
    expect(end.status).toBe("dropped");
    expect(await dropped(session)).toContain("The turn was interrupted.");
  });

  it("when the turn ends", async () => {
    const session = await inStep("back");
    await session.requestBacktrack("back", request);
    await session.endTurn();
    expect(await dropped(session)).toBe("The backtrack was dropped. The turn ended.");
  });

  it("when the user goes elsewhere, but not when that is refused", async () => {
    const session = await inStep("back");
    await session.requestBacktrack("back", request);
    const length = session.outline.length;
    await expect(session.rewind(99)).rejects.toMatchObject({ code: "CHECKPOINT_UNKNOWN" });
    await expect(session.redo()).rejects.toMatchObject({ code: "NOTHING_TO_REDO" });
    expect(session.outline.length).toBe(length);
    await session.rewind(1);
    expect(await dropped(session)).toContain("The user rewound the conversation.");
  });

  it("when another step has begun, so that it never happens in a later one", async () => {
    const session = await inStep("back");
    await session.requestBacktrack("back", request);
    await session.prompt("something else");
    await session.step();
    expect(await session.endStep()).toMatchObject({
      why: "The step that requested it has ended.",
      reason: "backtrack-step-over",
    });
    expect(await dropped(session)).toContain("has ended");
  });

  it("by a restart, without a trace", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.step();
    await session.reply({ model: "m", parts: reply("", "back") });
    await session.requestBacktrack("back", { ...request, to: 1 });
    const again = await reopen(deps, session);
    expect(await again.endStep()).toEqual({ status: "none" });
  });
});

describe("after a backtrack", () => {
  async function wentBack(): Promise<Session> {
    const session = await inStep("back");
    await session.requestBacktrack("back", request);
    await session.endStep();
    await session.step();
    return session;
  }

  it("the next one is refused until a tool call was made", async () => {
    const session = await wentBack();
    await session.reply({ model: "m", parts: reply("", "again") });
    const other = { ...request, note: "other" };
    expect(await session.requestBacktrack("again", other)).toMatchObject({
      status: "refused",
      message: "You have done nothing since the last backtrack. Make a tool call first, or answer.",
    });
    // The result of the refused call does not count as work either.
    await session.toolEnd("again", "error", "refused");
    await session.step();
    await session.reply({ model: "m", parts: reply("", "more") });
    expect(await session.requestBacktrack("more", other)).toMatchObject({ status: "refused" });
  });

  it("a prompt or an answer counts as work", async () => {
    const other = { ...request, note: "other" };
    const prompted = await wentBack();
    await prompted.prompt("and now?");
    await prompted.step();
    await prompted.reply({ model: "m", parts: reply("", "again") });
    expect(await prompted.requestBacktrack("again", other)).toEqual({ status: "filed" });
    const answered = await wentBack();
    await answered.reply({ model: "m", parts: reply("It is in pool.ts.") });
    await answered.step();
    await answered.reply({ model: "m", parts: reply("Once more.", "again") });
    expect(await answered.requestBacktrack("again", other)).toEqual({ status: "filed" });
  });

  it("words next to another backtrack do not count as work", async () => {
    const session = await wentBack();
    await session.reply({ model: "m", parts: reply("I go back again.", "again") });
    expect(await session.requestBacktrack("again", { ...request, note: "other" })).toMatchObject({
      status: "refused",
    });
  });

  it("work counts also when the provider uses the id of an earlier call again", async () => {
    const session = await wentBack();
    await session.reply({ model: "m", parts: reply("", "back") });
    await session.toolEnd("back", "ok", "real work this time");
    await session.step();
    await session.reply({ model: "m", parts: reply("", "again") });
    expect(await session.requestBacktrack("again", { ...request, note: "other" })).toEqual({
      status: "filed",
    });
  });

  it("the same note is refused, and the turn's limit holds until the next prompt", async () => {
    const session = await begin(openSessionDeps({ maxBacktracksPerTurn: 2 }));
    await session.prompt("a");
    const to = await session.step();
    const goBack = async (call: string, note: string) => {
      await session.reply({ model: "m", parts: reply("", `${call}-work`, call) });
      await session.toolEnd(`${call}-work`, "ok", "");
      const answer = await session.requestBacktrack(call, { ...request, to, note });
      if (answer.status === "refused") await session.toolEnd(call, "error", answer.message);
      await session.endStep();
      await session.step();
      return answer.status === "refused" ? answer.message : answer.status;
    };
    expect(await goBack("one", "first")).toBe("filed");
    expect(await goBack("two", "first")).toContain("with exactly this note");
    expect(await goBack("three", "second")).toBe("filed");
    expect(await goBack("four", "third")).toBe(
      "You have gone back 2 times in this turn, which is the limit.",
    );
    await session.prompt("go on");
    expect(await goBack("five", "third")).toBe("filed");
    expect((await session.entriesOf("backtrack")).map(({ times }) => times)).toEqual([1, 2, 3]);
  });

  it("it is refused where it is switched off", async () => {
    const session = await begin(openSessionDeps(), { backtrack: "off" });
    await session.step();
    expect(await session.requestBacktrack("b", { ...request, to: 1 })).toMatchObject({
      message: "Backtrack is not available in this context.",
    });
  });
});

describe("a backtrack and what happens at the same time", () => {
  it("carries in its note what the user wrote while it was carried out", async () => {
    for (let ticks = 0; ticks < 40; ticks += 1) {
      const session = await inStep("back");
      await session.requestBacktrack("back", request);
      const end = session.endStep();
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      const prompt = session.prompt("and keep the tests green");
      await Promise.all([end, prompt]);
      expect((await says(session)).join(" "), `${ticks} ticks`).toContain("and keep the tests green");
    }
  });

  it("shows the images of prompts that it repeats", async () => {
    const session = await inStep("back");
    const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
    await session.prompt([image]);
    await session.step();
    await session.reply({ model: "m", parts: reply("", "back") });
    await session.requestBacktrack("back", request);
    await session.endStep();
    const { messages } = await session.context();
    expect(messages.at(-1)?.parts).toContainEqual(image);
  });

  it("is refused when files should go back with it, for which there is nothing yet", async () => {
    const session = await inStep("back");
    const answer = await session.requestBacktrack("back", { ...request, files: "restore" });
    expect(answer).toMatchObject({
      status: "refused",
      message: expect.stringContaining("Files cannot be restored"),
    });
  });

  it("is not new work for the next one, even after a restart", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("find the leak");
    await step(session, "I look", "a");
    await session.step();
    await session.reply({ model: "m", parts: reply("", "back") });
    await session.requestBacktrack("back", request);
    await session.endStep();
    await session.step();
    const again = { type: "tool-call", call: "again", name: "Backtrack", input: {} } as const;
    await session.reply({ model: "m", parts: [again] });
    const other = { ...request, note: "Another note." };
    expect(await session.requestBacktrack("again", other)).toMatchObject({ status: "refused" });
    await session.toolEnd("again", "error", "refused");
    const next = await reopen(deps, session);
    await next.step();
    await next.reply({ model: "m", parts: [{ ...again, call: "third" }] });
    expect(await next.requestBacktrack("third", other)).toMatchObject({
      status: "refused",
      message: expect.stringContaining("You have done nothing"),
    });
  });
});
