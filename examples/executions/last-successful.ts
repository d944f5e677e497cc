import { openExecution } from "worldline";
import { list } from "./list.ts";
import type { Example } from "./place.ts";

/** Finds the step from which a program can continue. */
export const lastSuccessful: Example = async (place, say) => {
  await list(place, () => {});
  const execution = await openExecution("exec-123", place);
  const last = await execution.lastSuccessful();
  say(`Last success: Step ${last?.index} (${last?.name})`);
  const earlier = await execution.lastSuccessful({ before: 2 });
  say(`Before step 2: Step ${earlier?.index} (${earlier?.name})`);
  await execution.close();
};
