import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { driverAt } from "../contenders.mjs";
import { diskCounters, startCounting } from "../disk-counters.mjs";
import { answerTask } from "../in-child.mjs";
import { timed } from "../measure.mjs";

/** One durable append of 200 bytes, which is the minimum cost of going back durably. */
async function floor({ dir, rounds }) {
  const file = openSync(join(dir, "floor"), "a");
  const line = `${"x".repeat(199)}\n`;
  const measured = [];
  for (let round = 0; round < rounds; round += 1) {
    measured.push(
      await measure(() => {
        writeSync(file, line);
        fdatasyncSync(file);
      }),
    );
  }
  closeSync(file);
  return { measured };
}

async function measure(work) {
  const counted = diskCounters();
  const { ms } = await timed(work);
  return { ms, ...counted() };
}

/**
 * Goes back repeatedly in one open session, as an agent would. The wrong turn is taken again before each round, so
 * that every round finds a session of the same length. Then reopens the session and checks its position.
 */
async function contender({ url, dir, place, note, wrongTurn, rounds }) {
  const driver = await driverAt(url);
  const ready = await driver.resume(dir);
  const measured = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0) for (const message of wrongTurn) await ready.append(message);
    measured.push(await measure(() => ready.goBack(place, note ?? undefined)));
  }
  await ready.close();
  const reopened = await driver.resume(dir);
  const texts = (await reopened.context()).slice(-3).map(driver.textOf);
  await reopened.close();
  const lost = texts.includes(wrongTurn.at(-1).text);
  return { measured, afterReopening: lost ? "lost" : "kept" };
}

await answerTask(async (task) => {
  await startCounting();
  return task.url === undefined ? floor(task) : contender(task);
});
