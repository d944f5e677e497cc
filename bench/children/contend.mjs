import { unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { holdSession, systemClock } from "../../dist/index.js";
import { driverAt } from "../contenders.mjs";
import { answerTask } from "../in-child.mjs";

/** Repeatedly opens a session that other processes compete for, writes one exchange to it, and releases it. */
await answerTask(async ({ url, dir, session, name, turns }) => {
  const store = (await driverAt(url)).storeIn(dir);
  const inside = join(dir, "inside");
  const acknowledged = [];
  const waitedFor = [];
  let collisions = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    const onWait = (owner) => waitedFor.push(owner.name);
    const held = await holdSession({ store, clock: systemClock }, session, { name, waitMs: 120_000, onWait });
    // Checks, without the lease, that no other process is writing.
    try {
      writeFileSync(inside, name, { flag: "wx" });
    } catch {
      collisions += 1;
    }
    const { entry } = await held.prompt(`${name}, turn ${turn}`);
    acknowledged.push(
      entry,
      await held.reply({ parts: [{ type: "text", text: "Yes." }], model: "some-model" }),
    );
    unlinkSync(inside);
    await held.close();
  }
  await store.close();
  return { acknowledged, waitedFor, collisions };
});
