import { describe, expect, it } from "vitest";
import { runTurnAndClose } from "../../../src/app/agent/run-turn.ts";
import type { TurnEnd } from "../../../src/ports/agent-events.ts";
import { WorldlineError } from "../../../src/record/error.ts";

const done = {
  outcome: "done",
  text: "the answer",
  steps: 1,
  backtracks: 0,
  usage: { input: 1, output: 1 },
  milliseconds: 1,
} as unknown as TurnEnd;
const full = () => new WorldlineError("session-not-closed", { why: "no space left" });

describe("a turn, after which the session is closed", () => {
  it("ends as it did if the session could be closed", async () => {
    const close = async () => undefined;
    expect(await runTurnAndClose(async () => done, close)).toStrictEqual({ end: done });
    const stopped = { ...done, outcome: "interrupted" } as const;
    expect(await runTurnAndClose(async () => stopped, close)).toStrictEqual({ end: stopped });
  });

  it("keeps its answer and fails if the session cannot be closed", async () => {
    const { end, unclosed } = await runTurnAndClose(
      async () => done,
      async () => Promise.reject(full()),
    );
    expect(end).toMatchObject({ ...done, outcome: "failed", error: { reason: "session-not-closed" } });
    const unknown = new WorldlineError("stated", { code: "STORE_FULL", message: "It is full." });
    const other = await runTurnAndClose(
      async () => done,
      async () => Promise.reject(unknown),
    );
    expect(other.end.error).toStrictEqual({
      ...{ code: "STORE_FULL", message: "It is full.", reason: "stated", params: unknown.params },
    });
    expect(unclosed).toBeUndefined();
  });

  it("reports another error of closing next to its own, and the same one only once", async () => {
    const { code, message } = full();
    const failed = { ...done, outcome: "failed", error: { code: "MODEL_BUSY", message: "busy" } } as const;
    const close = async () => Promise.reject(new Error("no space left"));
    expect(await runTurnAndClose(async () => failed, close)).toMatchObject({
      end: failed,
      unclosed: { reason: "session-not-closed", params: { why: "no space left" } },
    });
    const stopped = { ...done, outcome: "interrupted" } as const;
    const { unclosed } = await runTurnAndClose(async () => stopped, close);
    expect(unclosed?.cause).toEqual(new Error("no space left"));
    const same = { ...failed, error: { code, message } };
    expect(await runTurnAndClose(async () => same, close)).toEqual({ end: same });
  });

  it("is closed even if it throws, and then throws its own error", async () => {
    let closed = 0;
    const turn = runTurnAndClose(
      async () => Promise.reject(new Error("the turn")),
      async () => {
        closed += 1;
        throw full();
      },
    );
    await expect(turn).rejects.toThrow("the turn");
    expect(closed).toBe(1);
  });
});
