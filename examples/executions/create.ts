import { openExecution } from "worldline";
import type { Example } from "./place.ts";

/** Records a step, with everything that the program needs to continue from it. */
export const create: Example = async (place, say) => {
  const execution = await openExecution("exec-123", place);
  const checkpoint = await execution.save({
    name: "data_processing",
    index: 2,
    state: { phase: "processing", processed: 100, since: new Date("2026-01-01T00:00:00Z") },
    context: { messages: ["how far are we?"], user: "user-456" },
    variables: { total: 1000, batches: new Map([["first", 50]]) },
  });
  say(`${checkpoint.id} ${checkpoint.name} [${checkpoint.status}]`);
  await execution.close();
};
