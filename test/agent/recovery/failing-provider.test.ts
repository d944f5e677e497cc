import { describe, expect, it } from "vitest";
import type { RetryEvent } from "../../../src/ports/agent-events.ts";
import { type Misbehaviour, scripted } from "../../../src/testing/model-server/script.ts";
import { HurriedClock } from "./clocks.ts";
import { type Rehearsal, rehearse } from "./rehearsal.ts";

const COMMAND = { calls: [{ name: "Bash", input: { command: "echo ran >> runs.txt" } }] };
const HALF = { text: "the half that was cut", misbehave: { do: "cut", after: "half" } } as const;

function retriesOf({ events }: Rehearsal): readonly RetryEvent[] {
  return events.filter((event): event is RetryEvent => event.type === "retry");
}

function sent({ server }: Rehearsal): string {
  return JSON.stringify(server.requests.map(({ messages }) => messages));
}

describe("a provider that fails in the middle of a turn", () => {
  it("is asked again three times from the last checkpoint, after pauses that grow, and then the turn fails", async () => {
    const clock = new HurriedClock();
    const rehearsal = await rehearse(scripted(COMMAND, HALF, HALF, HALF, HALF, { text: "whole" }), { clock });
    const { agent, server, session, read } = rehearsal;
    const end = await agent.prompt("go");
    expect(end).toMatchObject({
      outcome: "failed",
      answer: "",
      error: { code: expect.stringMatching(/^MODEL_/u) },
    });

    const retries = retriesOf(rehearsal);
    expect(retries.map(({ attempt, of, checkpoint }) => [attempt, of, checkpoint])).toEqual([
      [1, 3, 3],
      [2, 3, 3],
      [3, 3, 3],
    ]);
    const pauses = retries.map(({ waitMs }) => waitMs);
    expect(clock.waits.filter((wait) => pauses.includes(wait))).toEqual(pauses);
    for (const [attempt, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(500 * 2 ** attempt * 0.75);
      expect(pause).toBeLessThanOrEqual(500 * 2 ** attempt * 1.25);
    }
    expect(server.requests).toHaveLength(5);
    expect((await session.history()).filter(({ kind }) => kind === "error")).toHaveLength(4);

    expect(await agent.resume("retry")).toMatchObject({ outcome: "done", answer: "whole" });
    expect(read("runs.txt")).toBe("ran\n");
    expect(sent(rehearsal)).not.toContain("the half that was cut");
    expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
  });

  it("sends the same bytes when it is asked again", async () => {
    const { agent, server } = await rehearse(scripted(COMMAND, HALF, { text: "whole" }), {
      clock: new HurriedClock(),
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done", answer: "whole", steps: 2 });
    expect(server.requests[2]?.bytes).toEqual(server.requests[1]?.bytes);
  });

  it.each([
    { header: "7", waitMs: 7_000 },
    { header: "900", waitMs: 120_000 },
  ])("is given the $header seconds that it asks for, within reason", async ({ header, waitMs }) => {
    const misbehave: Misbehaviour = { do: "status", status: 429, headers: { "retry-after": header } };
    const rehearsal = await rehearse(scripted({ text: "well", misbehave }), { clock: new HurriedClock() });
    expect(await rehearsal.agent.prompt("go")).toMatchObject({ outcome: "done", answer: "well" });
    expect(retriesOf(rehearsal).map((retry) => [retry.waitMs, retry.code])).toEqual([[waitMs, "MODEL_BUSY"]]);
  });

  it("fails the turn at once where asking again is of no use, and it can be continued", async () => {
    const clock = new HurriedClock();
    const misbehave: Misbehaviour = { do: "status", status: 401 };
    const rehearsal = await rehearse(scripted(COMMAND, { misbehave }, { text: "well" }), { clock });
    expect(await rehearsal.agent.prompt("go")).toMatchObject({
      outcome: "failed",
      error: { code: "MODEL_KEY" },
    });
    expect(retriesOf(rehearsal)).toEqual([]);
    expect(await rehearsal.agent.resume("continue")).toMatchObject({ outcome: "done", answer: "well" });
    expect(rehearsal.read("runs.txt")).toBe("ran\n");
  });

  it("can be left by interrupting the pause before the next try", async () => {
    const misbehave: Misbehaviour = { do: "status", status: 429, headers: { "retry-after": "60" } };
    const { agent, server } = await rehearse(scripted({ text: "well", misbehave }));
    agent.on((event) => {
      if (event.type === "retry") void agent.interrupt();
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "interrupted" });
    expect(server.requests).toHaveLength(1);
    expect(await agent.resume("retry")).toMatchObject({ outcome: "done", answer: "well" });
  });
});

describe("trying a step again", () => {
  it("keeps a prompt that no step has answered yet", async () => {
    const { agent, server } = await rehearse(scripted({ text: "one" }, { text: "two" }));
    await agent.prompt("the first question");
    // Leaves the session as a crash right after the prompt would.
    const stop = agent.on((event) => {
      if (event.type === "entry" && event.entry.kind === "prompt") void agent.interrupt();
    });
    expect((await agent.prompt("the second question")).outcome).toBe("interrupted");
    stop();
    expect(await agent.resume("retry")).toMatchObject({ outcome: "done", answer: "two" });
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[1]?.messages)).toContain("the second question");
  });

  it("keeps the note of the backtrack right before it", async () => {
    const { agent, server, session } = await rehearse(
      scripted(
        { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
        { calls: [{ name: "Backtrack", input: { checkpoint_id: 2, note: "a.txt is empty" } }] },
        { text: "it is empty" },
      ),
    );
    // Leaves the session as a crash right after the backtrack would.
    agent.on((event) => {
      if (event.type === "backtrack") void agent.interrupt();
    });
    expect((await agent.prompt("what is in a.txt?")).outcome).toBe("interrupted");
    expect((await session.history()).some(({ kind }) => kind === "backtrack")).toBe(true);
    expect(await agent.resume("retry")).toMatchObject({ outcome: "done", answer: "it is empty" });
    expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain("a.txt is empty");
  });
});
