import { describe, expect, it } from "vitest";
import { type Call, CallBook } from "../../../../src/hosts/claude-agent-sdk/turn/call-book.ts";
import type { Session } from "../../../../src/machine/session.ts";

const call = (id: string): Call => ({
  id,
  name: "Write",
  input: {},
  session: {} as Session,
  state: "asked",
  result: "from-sdk",
});

const LONG = 30_000;

/** Whether the promise has settled once all pending callbacks have run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe("waiting until calls have ended", () => {
  it("waits for a call whose reply has not arrived yet", async () => {
    const calls = new CallBook();
    const ended = calls.allEnded(["c1"], LONG);
    expect(await isSettled(ended)).toBe(false);
    calls.add(call("c1"));
    expect(await isSettled(ended)).toBe(false);
    calls.ended("c1");
    await ended;
  });

  it("waits for every one of them, and not for those that have ended", async () => {
    const calls = new CallBook();
    calls.add(call("c1"));
    calls.ended("c1");
    calls.add(call("c2"));
    const ended = calls.allEnded(["c1", "c2"], LONG);
    expect(await isSettled(ended)).toBe(false);
    calls.ended("c2");
    await ended;
  });

  it("continues after a while if the call never comes", async () => {
    await new CallBook().allEnded(["c1"], 1);
  });

  it("continues at once if the store refuses an entry", async () => {
    const calls = new CallBook();
    const ended = calls.allEnded(["c1"], LONG);
    calls.giveUp();
    await ended;
    await calls.allEnded(["c2"], LONG);
  });
});
