import { describe, expect, it, vi } from "vitest";
import type { Execution } from "../../src/executions/execution.ts";
import { openExecution } from "../../src/open-execution.ts";
import { openMemoryStore } from "../../src/stores/memory.ts";

const store = openMemoryStore();

async function warningsOf(id: string, work: (execution: Execution) => Promise<void>): Promise<string[]> {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  try {
    const execution = await openExecution(id, { store });
    await work(execution);
    await execution.close();
    return warn.mock.calls.map(
      ([message, options]) => `${(options as { code?: string }).code} ${String(message)}`,
    );
  } finally {
    warn.mockRestore();
  }
}

describe("a program is warned", () => {
  it("when a plain copy of a result was stored, once, and not when it is given back later", async () => {
    const program = async (execution: Execution): Promise<void> => {
      await execution.step("exact", () => new Map([["a", 1n]]));
      await execution.step("query", () => ({ rows: [1], release: () => undefined }));
    };
    const first = await warningsOf("copied", program);
    expect(first).toEqual([
      'WORLDLINE_RESULT_COPIED Step 1 "query" returned something that cannot be stored as it is (output.release is a function). A plain copy was stored and returned. To control what is stored, return plain data from the step.',
    ]);
    expect(await warningsOf("copied", program)).toEqual([]);
  });

  it("once when failures are thrown again, and not where the program asked for that", async () => {
    const failing = (onFailed?: "rethrow") => async (execution: Execution) => {
      for (const name of ["a", "b"]) {
        const options = onFailed === undefined ? {} : { onFailed };
        const work = () => Promise.reject(new Error(`no ${name}`));
        await expect(execution.step(name, work, options)).rejects.toThrow(`no ${name}`);
      }
      await execution.step("c", () => 1);
    };
    expect(await warningsOf("failed", failing())).toEqual([]);
    const [replayed, ...more] = await warningsOf("failed", failing());
    expect(more).toEqual([]);
    expect(replayed).toMatch(
      /^WORLDLINE_FAILURE_REPLAYED Step 0 "a" failed in an earlier run.*onFailed: "retry"/u,
    );
    expect(await warningsOf("failed", failing("rethrow"))).toEqual([]);
  });
});
