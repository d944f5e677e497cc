import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Misbehaviour, Wire } from "../../../src/testing/model-server/script.ts";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { isLiving } from "../../living.ts";
import { stage } from "../support/stage.ts";

const wires: readonly Wire[] = ["anthropic", "chat", "responses", "ollama"];

describe.each(wires)("a turn over %s", (wire) => {
  const passing: readonly Misbehaviour[] = [
    { do: "status", status: 429, headers: { "retry-after": "0" } },
    { do: "status", status: 500 },
    { do: "cut", after: "first-delta" },
    { do: "end-early" },
    { do: "error-event" },
    { do: "empty" },
  ];

  it.each(passing)("asks again from the last checkpoint after $do", async (misbehave) => {
    const { agent, session, events } = await stage({
      wire,
      files: "off",
      responder: scripted({ text: "half of", misbehave }, { text: "whole" }),
    });
    const end = await agent.prompt("go");
    expect(end).toMatchObject({
      outcome: "done",
      answer: misbehave.do === "status" ? "half of" : "whole",
      steps: 1,
    });
    expect(events.filter(({ type }) => type === "retry")).toMatchObject([
      { attempt: 1, of: 3, checkpoint: 2 },
    ]);
    const kinds = (await session.history()).map(({ kind }) => kind);
    expect(kinds).toEqual(["session", "checkpoint", "prompt", "step", "error", "reply"]);
  });

  it("answers malformed, unknown and ill-fitting calls with errors, and history stays valid", async () => {
    const { agent, server } = await stage({
      wire,
      files: "off",
      responder: scripted(
        {
          calls: [
            { name: "Read", rawArguments: '{"file_path": "a' },
            { name: "Reed", input: { file_path: "a" } },
            { name: "Read", input: { path: "a" } },
          ],
        },
        { text: "sorry" },
      ),
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done", answer: "sorry" });
    expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
    const results =
      server.requests[1]?.messages.flatMap(({ results: all }) => all.map(({ text }) => text)) ?? [];
    expect(results.map((text) => text.split(":")[0])).toEqual([
      wire === "ollama" ? expect.any(String) : "Invalid arguments",
      "There is no tool named Reed. Available tools",
      "Invalid arguments",
    ]);
  });

  it("keeps what was produced when it is interrupted, and continues afterwards", async () => {
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { agent, session, server } = await stage({
      wire,
      files: "off",
      responder: scripted({ text: "the first words and then much more of it", hold }, { text: "better" }),
    });
    const stop = agent.on((event) => {
      if (event.type === "text" && event.text !== "") void agent.interrupt();
    });
    const end = await agent.prompt("go");
    stop();
    release();
    expect(end.outcome).toBe("interrupted");
    const replies = (await session.history()).filter(({ kind }) => kind === "reply");
    expect(replies).toMatchObject([{ end: "interrupted" }]);
    expect(await agent.prompt("again")).toMatchObject({ outcome: "done", answer: "better" });
    expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
  });
});

describe("a turn", () => {
  it("gives up on what will not pass, and says what to do", async () => {
    const { agent } = await stage({
      files: "off",
      responder: scripted({ misbehave: { do: "status", status: 401 } }),
    });
    expect(await agent.prompt("go")).toMatchObject({
      outcome: "failed",
      error: { code: "MODEL_KEY" },
      steps: 1,
    });
  });

  it("stops after its steps, and says how to continue", async () => {
    const { agent, session } = await stage({
      settings: { maxSteps: 3 },
      responder: () => ({ calls: [{ name: "Glob", input: { pattern: "*" } }] }),
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "step-limit", steps: 3 });
    expect((await session.history()).at(-1)).toMatchObject({ kind: "interrupt", by: "limit" });
  });

  it("ends a running command and its children when it is interrupted", async () => {
    const { agent, session, read } = await stage({
      responder: scripted({
        calls: [
          { name: "Bash", input: { command: "echo $$ > pid; sleep 300 & echo $! > child; wait" } },
          { name: "Bash", input: { command: "echo never > never.txt" } },
        ],
      }),
    });
    const running = agent.prompt("go");
    while (true) {
      await sleep(20);
      try {
        if (read("child").trim() !== "") break;
      } catch {
        // The file does not exist yet.
      }
    }
    await agent.interrupt();
    expect((await running).outcome).toBe("interrupted");
    for (const file of ["pid", "child"]) {
      expect(isLiving(Number(read(file)))).toBe(false);
    }
    expect(() => read("never.txt")).toThrow();
    const ends = (await session.history()).filter(({ kind }) => kind === "tool-end");
    expect(ends).toMatchObject([{ outcome: "interrupted" }, { outcome: "interrupted" }]);
    expect(await session.unfinished()).toBe(undefined);
  });

  it("puts what the user says meanwhile after the results of the step", async () => {
    const { agent, server } = await stage({
      responder: scripted({ calls: [{ name: "Bash", input: { command: "echo hi" } }] }, { text: "both" }),
    });
    agent.on((event) => {
      if (event.type === "doing" && event.doing.what === "tool") agent.queue("and the other thing");
    });
    expect(await agent.prompt("one thing")).toMatchObject({ answer: "both" });
    const roles = server.requests[1]?.messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "user"]);
    expect(server.requests[1]?.messages.at(-1)?.text).toContain("and the other thing");
  });

  it("refuses a second prompt while it runs", async () => {
    const { agent } = await stage({ files: "off", responder: scripted({ text: "one", delayMs: 50 }) });
    const first = agent.prompt("one");
    await expect(agent.prompt("two")).rejects.toMatchObject({ code: "TURN_RUNNING" });
    expect((await first).outcome).toBe("done");
  });

  it("compacts when the context is full, and keeps what was asked", async () => {
    const { agent, server, events, write } = await stage({
      window: 8_000,
      files: "off",
      settings: { compaction: { auto: "on", ratio: 0.85, keep: 1, reserve: "auto" } },
      responder: (request) => {
        if (request.tools.length === 0)
          return { text: "Summary: three files were read, nothing found in them." };
        const reads = request.messages.filter(({ calls }) => calls.length > 0).length;
        const isSummarised = JSON.stringify(request.messages).includes("three files were read");
        return isSummarised || reads > 8
          ? { text: "the answer" }
          : { calls: [{ name: "Read", input: { file_path: `f${reads}.txt` } }] };
      },
    });
    for (let n = 0; n < 10; n += 1) write(`f${n}.txt`, `${"words of a file ".repeat(250)}\n`);
    expect(await agent.prompt("find the needle")).toMatchObject({ outcome: "done", answer: "the answer" });
    expect(events.filter(({ type }) => type === "compaction")).toMatchObject([
      { outcome: "done", reason: "full" },
    ]);
    expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
    expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain("find the needle");
  });

  it("hands back prompts that it did not get to", async () => {
    const { agent } = await stage({
      files: "off",
      responder: scripted({ calls: [{ name: "Bash", input: { command: "sleep 60" } }] }),
    });
    agent.on((event) => {
      if (event.type !== "doing" || event.doing.what !== "tool") return;
      agent.queue("and this");
      void agent.interrupt();
    });
    expect(await agent.prompt("go")).toMatchObject({
      outcome: "interrupted",
      unheard: [[{ type: "text", text: "and this" }]],
    });
  });

  it("says that a reply was cut by its limit", async () => {
    const { agent, events } = await stage({
      files: "off",
      responder: scripted({ text: "a long story", stop: "length" }),
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done" });
    expect(events).toContainEqual({
      type: "warning",
      code: "REPLY_CUT",
      message: "The reply hit the model's output limit.",
      reason: "reply-cut",
    });
  });
});
