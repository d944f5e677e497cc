import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { driverAt } from "../contenders.mjs";
import { diskCounters, startCounting } from "../disk-counters.mjs";
import { answerTask } from "../in-child.mjs";
import { timed } from "../measure.mjs";
import { evenMessages } from "../messages.mjs";

/** The minimum cost of a durable append on this machine: one open file, and one write and one sync per message. */
function floor(dir) {
  const file = openSync(join(dir, "floor.jsonl"), "a");
  return {
    append: (message) => {
      writeSync(file, `${JSON.stringify(message)}\n`);
      fdatasyncSync(file);
    },
    close: () => closeSync(file),
  };
}

await answerTask(async ({ url, dir, count, bytesEach }) => {
  await startCounting();
  const ready = url === undefined ? floor(dir) : await (await driverAt(url)).create(dir);
  const [first, second, ...messages] = evenMessages({ count: count + 2, bytesEach });
  // The first exchange is not timed, because it creates the file.
  await ready.append(first);
  await ready.append(second);
  const counted = diskCounters();
  const { ms, cpuMs } = await timed(async () => {
    for (const message of messages) await ready.append(message);
  });
  const { bytes, syncs } = counted();
  await ready.close();
  return { ms: ms / count, cpuMs: cpuMs / count, bytes: bytes / count, syncs: syncs / count };
});
