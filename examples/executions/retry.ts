import { openExecution } from "worldline";
import { list } from "./list.ts";
import type { Example } from "./place.ts";

/** Retries the failed step from the last success, with a limited number of attempts. */
export const retry: Example = async (place, say) => {
  await list(place, () => {});
  const execution = await openExecution("exec-123", place);
  let processed = 0;
  const result = await execution.retryFrom(3, {
    maxRetries: 3,
    restore: ({ output }) => {
      processed = (output as { processed: number }).processed;
    },
    run: ({ attempt }) => {
      if (attempt === 2) throw new Error("still no answer");
      return `sent ${processed} in attempt ${attempt}`;
    },
  });
  say(result.success ? result.output : result.error.message);
  for (const { index, attempt, status } of (await execution.checkpoints()).slice(3)) {
    say(`Step ${index}, attempt ${attempt} [${status}]`);
  }
  const none = await execution.retryFrom(0);
  if (!none.success) say(none.error.message);
  await execution.close();
};
