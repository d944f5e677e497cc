import { createSession, systemClock, viewSession } from "../../dist/index.js";
import { driverAt } from "../contenders.mjs";
import { answerTask } from "../in-child.mjs";
import { timed } from "../measure.mjs";
import { conversation, evenMessages } from "../messages.mjs";
import { writeSession } from "../write-session.mjs";

const appended = { count: 1000, bytesEach: 2048 };
const batch = 100;
const lastEntries = 100;
const sessions = 500;
const workspaces = 10;

const workspaceOf = (dir, index) => `${dir}/workspace-${index % workspaces}`;

/** Each task is measured in its own process, on fixtures that another process has created. */
const works = {
  "one by one": (driver, dir) => appending(driver, dir, 1),
  batches: (driver, dir) => appending(driver, dir, batch),
  "a long session": (driver, dir) =>
    writeSession(driver, { dir, messages: conversation({ count: 10_000, bytes: 20_000_000 }) }),
  open: async (driver, dir) => {
    const store = driver.storeIn(dir);
    const [session] = await store.list();
    const measured = await timed(() => store.open(session));
    await store.close();
    return measured;
  },
  "read the end": async (driver, dir) => {
    const store = driver.storeIn(dir);
    const [session] = await store.list();
    const { nextSeq } = (await viewSession(store, session)).outline;
    const measured = await timed(() => store.read(session, nextSeq - lastEntries, nextSeq - 1));
    await store.close();
    if (measured.result.length !== lastEntries) throw new Error("The result is incomplete.");
    return measured;
  },
  "many sessions": async (driver, dir) => {
    await driver.prepare(dir);
    const store = driver.storeIn(dir);
    for (let index = 0; index < sessions; index += 1) {
      const workspace = workspaceOf(dir, index);
      const session = await createSession({ store, clock: systemClock }, { workspace }, { name: "bench" });
      await session.close();
    }
    await store.close();
  },
  list: async (driver, dir) => {
    const store = driver.storeIn(dir);
    // The first call connects, so it is not timed.
    await store.list({ limit: 1 });
    const measured = await timed(() => store.list({ workspace: workspaceOf(dir, 3) }));
    await store.close();
    if (measured.result.length !== sessions / workspaces) throw new Error("The result is incomplete.");
    return measured;
  },
};

async function appending(driver, dir, size) {
  const ready = await driver.create(dir);
  const [first, second, ...messages] = evenMessages({ ...appended, count: appended.count + 2 });
  await ready.append(first);
  await ready.append(second);
  const measured = await timed(async () => {
    for (let from = 0; from < messages.length; from += size) {
      await ready.appendAll(messages.slice(from, from + size));
    }
  });
  await ready.close();
  return measured;
}

await answerTask(async ({ url, dir, what }) => {
  const { ms, cpuMs } = (await works[what](await driverAt(url), dir)) ?? {};
  return { ms, cpuMs };
});
