import { expect, it } from "vitest";
import type { AppContext } from "../../../src/app/context.ts";
import { findExecution } from "../../../src/app/executions/find-execution.ts";
import { openExecution } from "../../../src/open-execution.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";

it("an execution of this folder is found by its id without a search", async () => {
  await inTempFolder(async (workspace) => {
    const store = openMemoryStore();
    const execution = await openExecution("exec-1", { store, workspace });
    await execution.step("one", () => 1);
    await execution.close();
    const context = { workspace: async () => workspace } as AppContext;
    const unsearched = { ...store, list: async () => Promise.reject(new Error("All were searched.")) };
    const found = await findExecution(context, unsearched, { text: "exec-1", naming: "whole" });
    expect([found?.id, found?.view.id, found?.steps.length]).toEqual(["exec-1", execution.session, 1]);
  });
});
