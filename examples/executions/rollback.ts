import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openExecution } from "worldline";
import type { Example } from "./place.ts";

/** Restores the state and the workspace's files as they were after a step. */
export const rollback: Example = async (place, say) => {
  const config = join(place.workspace, "config.json");
  const execution = await openExecution("migration", { ...place, files: "on" });
  await execution.step("write", () => writeFileSync(config, '{ "version": 1 }'));
  await execution.step("upgrade", () => writeFileSync(config, '{ "version": 2 }'));
  await execution.step("break", () => writeFileSync(config, "not even JSON"));
  const result = await execution.rollbackTo("ckpt-migration-1");
  if (!result.success) throw result.error;
  say(`back behind ${result.output.checkpoint.name}: ${readFileSync(config, "utf8")}`);
  for (const { index, name, branch } of await execution.checkpoints({ branch: "all" })) {
    say(`Step ${index}: ${name} (${branch})`);
  }
  await execution.close();
};
