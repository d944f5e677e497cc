import { describe, expect, it } from "vitest";
import type { ReceivedRequest, ScriptedReply } from "../../../../src/testing/testing.ts";
import { agentMachine, ofKind, overEveryWire, refusedOf, textOf } from "../support.ts";

const ANSWER = "It is in src/pool.ts, line 40. ".repeat(60);
const GOOD = "Goal: find the leak.\nFacts: it is in src/pool.ts, line 40.\nNext: fix it.";

/** Requests for a summary offer no tools. */
const asksForSummary = ({ tools }: ReceivedRequest) => tools.length === 0;

const unusable: Readonly<Record<string, (request: ReceivedRequest) => ScriptedReply>> = {
  "says nothing": () => ({ misbehave: { do: "empty" } }),
  "only thinks": () => ({ thinking: "What could I say?" }),
  "writes more than there was": () => ({ text: "And then it happened that. ".repeat(3_000) }),
  fails: () => ({ misbehave: { do: "status", status: 500 } }),
  "finds it too long": () => ({
    misbehave: {
      do: "status",
      status: 400,
      body: { error: { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" } },
    },
  }),
  "repeats what it was told": ({ messages }) => ({ text: messages[0]?.text.split("\n\n").at(-1) ?? "" }),
};

/** Cases that each wire words differently; one wire is enough for the others. */
const onEachWire = Object.entries(unusable).filter(([name]) => /only thinks|too long/u.test(name));

describe("compaction over every wire", () => {
  overEveryWire(
    "leaves the context as it was when no summary can be used, asks at most three times, and deletes nothing",
    async (wire) => {
      let summariser: (request: ReceivedRequest) => ScriptedReply = () => ({ text: GOOD });
      const here = await agentMachine(
        (request) => (asksForSummary(request) ? summariser(request) : { text: ANSWER }),
        {
          wire,
          environment: { WORLDLINE_COMPACTION_KEEP: "1" },
        },
      );
      await here.ask("find the leak");
      await here.ask("are you sure?", "-c");
      const { server } = here;
      const before = await here.context();
      const tried = wire === "anthropic" ? Object.entries(unusable) : onEachWire;
      for (const [name, reply] of tried) {
        summariser = reply;
        const asked = server.requests.length;
        const said = await here.worldline(["compact"]);
        expect([name, said.code]).toEqual([name, 1]);
        expect(said.stderr).toContain("The context is unchanged.");
        const attempts = server.requests.length - asked;
        expect(attempts, name).toBeGreaterThan(0);
        expect(attempts, name).toBeLessThanOrEqual(3);
        const bytes = server.requests.slice(asked).map((request) => request.bytes.length);
        expect(bytes, name).toEqual([...bytes].sort((a, b) => b - a));
      }
      expect(await here.context()).toBe(before);

      // Our own notices must not come back as something that the user said.
      summariser = ({ messages }) => {
        const instruction =
          messages[0]?.text.split("\n").filter((line) => line.startsWith("Write a summary")) ?? [];
        return {
          text: [...instruction, "The user asked me to summarise the conversation.", GOOD].join("\n"),
        };
      };
      const entries = (await here.log()).length;
      await here.data("compact");
      const after = await here.log();
      expect(after.length).toBeGreaterThan(entries);
      expect(ofKind(after, "prompt").length).toBe(2);
      expect(ofKind(after, "reply").length).toBe(2);
      const [compaction] = ofKind(after, "compaction");
      expect(compaction?.summary.startsWith(GOOD)).toBe(true);
      expect(compaction?.summary).not.toMatch(/Write a summary|summarise the conversation/u);
      const context = await here.context();
      expect(context.length).toBeLessThan(before.length);
      expect(context).toContain("are you sure?");

      expect(await here.ask("then fix it", "-c")).toMatchObject({ code: 0, outcome: "done" });
      expect(refusedOf(here)).toEqual([]);
      expect(textOf(server.requests.at(-1))).toContain("it is in src/pool.ts, line 40");
    },
  );

  overEveryWire(
    "in the middle of a turn keeps the prompt and what was done last, and the turn goes on from there",
    async (wire) => {
      const seen: string[] = [];
      const here = await agentMachine(
        (request) => {
          if (asksForSummary(request)) return { text: GOOD };
          if (textOf(request).includes("Goal: find the leak")) return { text: "Found it." };
          seen.push(`f${seen.length}.txt`);
          return { calls: [{ name: "Read", input: { file_path: seen.at(-1) ?? "" } }] };
        },
        {
          wire,
          files: Object.fromEntries(
            Array.from({ length: 12 }, (_, n) => [
              `f${n}.txt`,
              `mark-${n} ${"some words of a file\n".repeat(300)}`,
            ]),
          ),
          environment: { WORLDLINE_CONTEXT_WINDOW: "16000" },
        },
      );
      const { code, events } = await here.tell("find the needle");
      expect(code).toBe(0);
      expect(events.at(-1)).toMatchObject({ outcome: "done", answer: "Found it." });
      const compactions = events.filter(({ type }) => type === "compaction");
      expect(compactions).toMatchObject([{ outcome: "done", reason: "full" }]);
      expect(refusedOf(here)).toEqual([]);
      const last = here.server.requests.at(-1);
      expect(textOf(last)).toContain("find the needle");
      expect(textOf(last)).toContain(`mark-${seen.length - 1} `);
      expect(textOf(last)).not.toContain("mark-0 ");
      // No page was read twice.
      expect(new Set(seen).size).toBe(seen.length);
      expect(ofKind(await here.log(), "tool-end").length).toBe(seen.length);
    },
  );
});

describe("compaction", () => {
  it("is not retried forever if it gains nothing, and the turn ends", async () => {
    const here = await agentMachine(
      (request) => {
        if (asksForSummary(request)) return { misbehave: { do: "empty" } };
        const reads = request.messages.filter(({ calls }) => calls.length > 0).length;
        return reads < 8
          ? { calls: [{ name: "Read", input: { file_path: "f.txt" } }] }
          : { text: "Done all the same." };
      },
      {
        files: { "f.txt": "words of a file ".repeat(250) },
        environment: { WORLDLINE_CONTEXT_WINDOW: "9000" },
      },
    );
    const { code, events } = await here.tell("read it eight times");
    expect(code).toBe(0);
    expect(events.at(-1)).toMatchObject({ outcome: "done", answer: "Done all the same." });
    const outcomes = events.filter(({ type }) => type === "compaction").map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["failed", "failed", "stopped"]);
    expect(here.server.requests.filter(asksForSummary).length).toBe(6);
  });

  it("makes room when the provider says that the context is too long, and asks again", async () => {
    const here = await agentMachine(
      (request) => (asksForSummary(request) ? { text: GOOD } : { text: ANSWER }),
      { environment: { WORLDLINE_COMPACTION_KEEP: "1" } },
    );
    await here.ask("find the leak");
    await here.ask("are you sure?", "-c");
    // The new window no longer fits both answers, but still fits one.
    const window = (here.server.requests.at(-1)?.inputTokens ?? 0) + 300;
    const narrow = await agentMachine(
      (request) => (asksForSummary(request) ? { text: GOOD } : { text: "It fits." }),
      { server: { window } },
    );
    Object.assign(here.environment, narrow.server.environment("anthropic"));
    const { code, events } = await here.tell("then fix it", "-c");
    expect([code, events.at(-1)]).toMatchObject([0, { outcome: "done", answer: "It fits." }]);
    expect(events.filter(({ type }) => type === "compaction")).toMatchObject([
      { outcome: "done", reason: "too-long" },
    ]);
    expect(refusedOf(narrow)).toEqual([expect.stringContaining("too long")]);
    expect(textOf(narrow.server.requests.at(-1))).toContain("then fix it");
  });

  it("counts what the provider counts, in Chinese too", async () => {
    const chinese = "连接池在第四十行泄漏，因为释放函数从未被调用。".repeat(80);
    const here = await agentMachine(() => ({ text: chinese }), {
      server: {
        tokensOf: (text) => Math.ceil([...text].length * (/\p{Script=Han}/u.test(text) ? 1.1 : 0.25)),
      },
    });
    await here.ask(chinese);
    const { tokens } = await here.data("context");
    await here.ask(chinese, "-c");
    const { tokens: later } = await here.data("context");
    const [first, second] = here.server.requests as [ReceivedRequest, ReceivedRequest];
    const said = Math.ceil([...chinese].length * 1.1);
    for (const [counted, request] of [
      [tokens, first],
      [later, second],
    ] as const) {
      expect(Math.abs(counted / (request.inputTokens + said) - 1)).toBeLessThan(0.1);
    }
  });
});
