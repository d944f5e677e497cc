import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Execution } from "../../src/executions/execution.ts";
import { openExecution } from "../../src/open-execution.ts";
import { inTempFolder } from "../../src/testing/testing.ts";

async function withExecution(work: (execution: Execution) => Promise<void>): Promise<void> {
  await inTempFolder(async (folder) => {
    const execution = await openExecution("exec-1", { home: join(folder, "home"), workspace: folder });
    await execution.save({ name: "first", index: 0 });
    await work(execution);
    await execution.close();
  });
}

const refusal = (message: string) =>
  expect.objectContaining({ code: "INPUT_INVALID", message, hint: expect.any(String) });

describe("what a caller without types hands in", () => {
  it.each([
    ["null", null, "openExecution: the options must be an object, not null."],
    ["a scope", { scope: 5 }, "openExecution: the scope option must be a string, not 5."],
    ["a store", { store: 5 }, "openExecution: the store option must be an address or an open store, not 5."],
    [
      "an empty store",
      { store: {} },
      "openExecution: the store option must be an address or an open store, not an object.",
    ],
    ["a home", { home: 5 }, "openExecution: the home option must be a folder path, not 5."],
    ["an empty home", { home: "" }, 'openExecution: the home option must be a folder path, not "".'],
    ["files", { files: true }, 'openExecution: the files option must be "on" or "off", not true.'],
    [
      "other files",
      { files: "maybe" },
      'openExecution: the files option must be "on" or "off", not "maybe".',
    ],
    [
      "a time",
      { waitMs: Number.NaN },
      "openExecution: the waitMs option must be a non-negative number, not NaN.",
    ],
  ])("is refused when an execution is opened: %s", async (_, options, message) => {
    await inTempFolder(async (workspace) => {
      const home = join(workspace, "home");
      mkdirSync(home);
      const given = options === null ? null : { home, workspace, ...options };
      await expect(openExecution("x", given as never)).rejects.toEqual(refusal(message));
    });
  });

  it("is refused as an id that is not a text", async () => {
    await expect(openExecution(5 as never)).rejects.toEqual(
      refusal("An execution needs an id, but the given id is not a string."),
    );
  });

  it("is refused by the calls that throw, and nothing is written", async () => {
    await withExecution(async (execution) => {
      const none = undefined as never;
      const odd = null as never;
      await expect(execution.save(none)).rejects.toEqual(
        refusal("The argument to save must be an object, not undefined."),
      );
      await expect(execution.save(odd)).rejects.toEqual(
        refusal("The argument to save must be an object, not null."),
      );
      await expect(execution.step("a", none)).rejects.toEqual(
        refusal("A step's work must be a function, not undefined."),
      );
      await expect(execution.step("a", () => 1, odd)).rejects.toMatchObject({ code: "INPUT_INVALID" });
      await expect(execution.checkpoint(5 as never)).rejects.toMatchObject({ code: "INPUT_INVALID" });
      await expect(execution.checkpoints({ branch: "x" } as never)).rejects.toMatchObject({
        code: "INPUT_INVALID",
      });
      await expect(execution.lastSuccessful(odd)).rejects.toMatchObject({ code: "INPUT_INVALID" });
      expect(await execution.checkpoints()).toHaveLength(1);
      expect(await execution.step("first", () => "run again")).toBe(undefined);
    });
  });

  it("is an unsuccessful result of the calls that go back", async () => {
    await withExecution(async (execution) => {
      const results = [
        await execution.resumeFrom(null as never),
        await execution.resumeFrom(5 as never),
        await execution.resumeFrom("ckpt-exec-1-0", 5 as never),
        await execution.rollbackTo(undefined as never),
        await execution.retryFrom("x" as never),
        await execution.retryFrom(1, null as never),
        await execution.retryFrom(1, { name: "a", run: 5 as never }),
      ];
      expect(results.map(({ success, error }) => [success, error?.code, error?.message])).toEqual([
        [false, "INPUT_INVALID", "A checkpoint id must be a string, not null."],
        [false, "INPUT_INVALID", "A checkpoint id must be a string, not 5."],
        [false, "INPUT_INVALID", "The restore function must be a function, not 5."],
        [false, "INPUT_INVALID", "A checkpoint id must be a string, not undefined."],
        [false, "INPUT_INVALID", "A step cannot have the index x"],
        [false, "INPUT_INVALID", "retryFrom: the options must be an object, not null."],
        [false, "INPUT_INVALID", "retryFrom: the run option must be a function, not 5."],
      ]);
      expect(await execution.checkpoints()).toHaveLength(1);
    });
  });
});
