import { openExecution } from "worldline";
import type { Example } from "./place.ts";

/** Lists a run that failed in its last step. */
export const list: Example = async (place, say) => {
  const execution = await openExecution("exec-123", place);
  await execution.step("data_fetch", () => ["a", "b"]);
  await execution.step("data_validation", () => true);
  await execution.step("data_processing", () => ({ processed: 2 }));
  const failing = (): never => {
    throw new Error("the API did not answer");
  };
  await execution.step("api_call", failing).catch(() => {});
  for (const { index, name, status } of await execution.checkpoints()) {
    say(`Step ${index}: ${name} [${status}]`);
  }
  await execution.close();
};
