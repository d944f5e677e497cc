import { createSession, systemClock, viewSession } from "../../dist/index.js";
import { driverAt } from "../contenders.mjs";
import { inChild } from "../in-child.mjs";
import { withTempDir } from "../temp-dir.mjs";

export const processes = 8;
export const turns = 25;

/** Figure 11: many processes compete for one session. */
export function contention({ name, url }) {
  return withTempDir(async (dir) => {
    const driver = await driverAt(url);
    await driver.prepare(dir);
    const store = driver.storeIn(dir);
    const made = await createSession({ store, clock: systemClock }, { workspace: dir }, { name: "bench" });
    const session = made.id;
    await made.close();
    const names = Array.from({ length: processes }, (_, at) => `process ${at + 1}`);
    const told = await Promise.all(
      names.map((each) => inChild("contend", { url, dir, session, name: each, turns })),
    );
    const there = new Set();
    for await (const entry of (await viewSession(store, session)).all()) there.add(entry.id);
    const damage = await store.verify(session);
    await store.close();
    const acknowledged = told.flatMap((each) => each.acknowledged);
    const waitedFor = told.flatMap((each) => each.waitedFor);
    return {
      name,
      acknowledged: acknowledged.length,
      lost: acknowledged.filter((id) => !there.has(id)).length,
      collisions: told.reduce((sum, each) => sum + each.collisions, 0),
      waits: waitedFor.length,
      waitsTold: waitedFor.filter((each) => names.includes(each)).length,
      damage: damage.length,
    };
  });
}
