import { type Execution, openExecution } from "worldline";
import type { Example, Place, Say } from "./place.ts";

/** The program itself. It does not need to know whether this is its first start. */
async function importOrders(execution: Execution, say: Say): Promise<string> {
  const orders = await execution.step("fetch", () => {
    say("fetching");
    return ["o-1", "o-2"];
  });
  const receipt = await execution.step(
    "charge",
    () => {
      say(`charging ${orders.length} orders`);
      return "receipt-7";
    },
    // A step that began but has no recorded end may have taken effect; only this program can find out.
    { unfinished: ({ checkpoint }) => ({ skip: `found the receipt of attempt ${checkpoint.attempt}` }) },
  );
  return execution.step("mail", () => `mailed: ${receipt}`);
}

/** Simulates a kill during the charge, so that the end of that step is unknown. */
async function killedWhileCharging(place: Place): Promise<void> {
  const execution = await openExecution("orders-today", place);
  await execution.step("fetch", () => ["o-1", "o-2"]);
  await execution.save({ name: "charge", index: 1, status: "pending" });
  await execution.close();
}

/** Continues a restarted program where it was. */
export const resume: Example = async (place, say) => {
  await killedWhileCharging(place);
  const again = await openExecution("orders-today", place);
  say(await importOrders(again, say));
  await again.close();
  const oncemore = await openExecution("orders-today", place);
  say(await importOrders(oncemore, say));
  const missing = await oncemore.resumeFrom("ckpt-orders-today-9");
  if (!missing.success) say(missing.error.message);
  await oncemore.close();
};
