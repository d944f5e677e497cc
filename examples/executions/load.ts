import { openExecution } from "worldline";
import { create } from "./create.ts";
import type { Example } from "./place.ts";

/** Reads in another process what the first one wrote; dates are still dates, and maps are still maps. */
export const load: Example = async (place, say) => {
  await create(place, () => {});
  const execution = await openExecution("exec-123", place);
  // Without an attempt number, the id names the latest attempt.
  const checkpoint = await execution.checkpoint("ckpt-exec-123-2");
  if (checkpoint === undefined) throw new Error("It was written a moment ago.");
  const { phase, since } = checkpoint.state as { phase: string; since: Date };
  const { batches } = checkpoint.variables as { batches: Map<string, number> };
  say(
    `loaded ${checkpoint.name}: ${phase} since ${since.getUTCFullYear()}, first batch ${batches.get("first")}`,
  );
  say(`another execution's: ${await execution.checkpoint("ckpt-exec-12-2")}`);
  await execution.close();
};
