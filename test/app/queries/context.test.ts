import { describe, expect, it } from "vitest";
import { contextAt } from "../../../src/app/queries/context-at.ts";
import { contextFill } from "../../../src/app/queries/context-fill.ts";
import { type OpenSessionOptions, openSession } from "../../../src/open-session.ts";
import type { Agent } from "../../../src/ports/agent.ts";
import { textPart } from "../../../src/record/parts.ts";
import { begin, openSessionDeps } from "../../machine/deps.ts";
import { reportingContext } from "../support/reporting-context.ts";
import { longSession } from "./long-session.ts";

/** A session with a prompt, a step and a reply, whose tokens the provider counted or not. */
async function asked(input: number, host?: object) {
  const at = reportingContext();
  const options: OpenSessionOptions = { home: at.home, workspace: at.workspace, system: "Be brief." };
  const session = await openSession(options);
  await session.prompt("one", host as never);
  await session.step();
  const usage = input === 0 ? {} : { usage: { input, output: 5, cacheRead: 0, cacheWrite: 0 } };
  await session.reply({ model: "m", parts: [textPart("Two.")], ...usage });
  await session.close();
  return { ...at, id: session.id };
}

const textsOf = ({ context }: Awaited<ReturnType<typeof contextAt>>) =>
  context.messages.flatMap(({ parts }) => parts.map((part) => ("text" in part ? part.text : ""))).slice(0, 3);

describe("the context at a place", () => {
  it("is the one at the head, with its size", async () => {
    const { context, id } = await asked(500);
    const there = await contextAt(context, undefined);
    expect({ ...there, context: textsOf(there) }).toEqual({
      ...{ session: id, checkpoint: undefined },
      context: ["one", expect.stringContaining("Checkpoint 2"), "Two."],
      size: { tokens: 505, basis: "counted", window: undefined },
    });
  });

  it("is the one that the model received at a checkpoint", async () => {
    const { context, id } = await asked(500);
    const there = await contextAt(context, "2");
    expect({ ...there, context: textsOf(there) }).toEqual({
      ...{ session: id, checkpoint: 2 },
      context: ["one", expect.stringContaining("Checkpoint 2")],
      size: { tokens: 500, basis: "counted", window: undefined },
    });
  });

  it("has an estimated size if no provider has counted the tokens", async () => {
    const { context } = await asked(0);
    const { size } = await contextAt(context, undefined);
    expect(size).toEqual({ tokens: expect.any(Number), basis: "estimated", window: undefined });
    expect(size.tokens).toBeGreaterThan(0);
  });

  it("has the window in the settings, whichever host answered", async () => {
    const ours = await asked(0);
    ours.write("user", JSON.stringify({ context: { window: 9_000 } }));
    expect((await contextAt(ours.context, undefined)).size).toEqual({
      ...{ tokens: expect.any(Number), basis: "estimated", window: 9_000 },
    });
    const claude = await asked(500, { kind: "host", host: "claude", hostSession: "s1" });
    claude.write("user", JSON.stringify({ context: { window: 9_000 } }));
    expect((await contextAt(claude.context, undefined)).size.window).toBe(9_000);
  });

  it("has the window that Claude reported, as long as Claude answers", async () => {
    const { context, home, workspace, id } = await asked(500, {
      ...{ kind: "host", host: "claude", hostSession: "s1", model: "opus", window: 150_000 },
    });
    expect((await contextAt(context, undefined)).size.window).toBe(150_000);
    const session = await openSession({ home, workspace, resume: id });
    await session.prompt("two");
    await session.reply({ model: "m", parts: [textPart("Not counted.")] });
    await session.close();
    const later = reportingContext({ place: { ...reportingContext(), home, workspace } });
    const { size } = await contextAt(later.context, undefined);
    expect([size.basis, size.window]).toEqual(["counted", undefined]);
  });

  it("has no window, and reports why, if the settings cannot be read", async () => {
    const { context, reported, write } = await asked(500);
    write("user", "{");
    const { size } = await contextAt(context, undefined);
    expect(size).toEqual({ tokens: 505, basis: "counted", window: undefined });
    expect(reported.at(-1)).toMatchObject({
      code: "window-unknown",
      problem: { reason: expect.any(String) },
    });
  });
});

/** An agent that emits another event before the one with its window. */
const agent = {
  on: (listener: (event: object) => void) => {
    listener({ type: "busy", window: 1 });
    listener({ type: "session", window: 1_000 });
    return () => undefined;
  },
} as unknown as Pick<Agent, "on">;

describe("what fills the window", () => {
  it("is divided by kind, in proportion to the estimates", async () => {
    const session = await longSession();
    expect(await contextFill(session, agent)).toEqual({
      window: 1_000,
      used: 277,
      parts: [
        { what: "system", tokens: 93 },
        { what: "summary", tokens: 53 },
        { what: "prompts", tokens: 9 },
        { what: "replies", tokens: 5 },
        { what: "notes", tokens: 117 },
      ],
    });
  });

  it("includes what the provider counted beyond the conversation: the tools", async () => {
    const session = await longSession();
    await session.step();
    const usage = { input: 5_000, output: 5, cacheRead: 0, cacheWrite: 0 };
    await session.reply({ model: "m", parts: [textPart("Two.")], usage });
    await session.toolEnd("c9", "ok", "some result that is long");
    expect(await contextFill(session, agent)).toEqual({
      window: 1_000,
      used: 5_014,
      parts: [
        { what: "system", tokens: 95 },
        { what: "tools", tokens: 4_696 },
        { what: "summary", tokens: 53 },
        { what: "prompts", tokens: 9 },
        { what: "replies", tokens: 10 },
        { what: "results", tokens: 8 },
        { what: "notes", tokens: 143 },
      ],
    });
  });

  it("is the system prompt in a new session", async () => {
    const session = await begin(openSessionDeps());
    const fill = await contextFill(session, agent);
    expect(fill).toEqual({
      ...{ window: 1_000, used: session.tokenCount },
      parts: [{ what: "system", tokens: session.tokenCount }],
    });
    expect(fill.used).toBeGreaterThan(0);
  });
});
