import { readFileSync } from "node:fs";

/**
 * Runs one contender in its own process for a whole session: opens it once, then performs requests and
 * reports how long they took. The time is measured in this process, so that message passing does not count.
 */

/**
 * CPU time of this process and of children that it has waited for. Only Linux reports it, in hundredths of a second.
 */
function processorMs() {
  if (process.platform !== "linux") return Number.NaN;
  const text = readFileSync("/proc/self/stat", "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) * 10;
}

async function timed(work) {
  const cpu = processorMs();
  const started = performance.now();
  const result = await work();
  return { result, ms: performance.now() - started, cpuMs: processorMs() - cpu };
}

let driver;
let ready;

const commands = {
  async meet({ url }) {
    driver = (await import(url)).driver;
    const { name, first, keeps } = driver;
    return { name, first, keeps };
  },
  folders: (places) => driver.folders(places),
  /** The first checkpoint includes opening, because it is impossible without it. */
  first: (places) =>
    timed(async () => {
      const started = performance.now();
      ready = await driver.open(places);
      const openMs = performance.now() - started;
      if (ready.first === undefined) return ready.checkpoint();
      const { promptMs, lookedMs } = await ready.first();
      return { promptMs: openMs + promptMs, lookedMs: openMs + lookedMs };
    }),
  checkpoint: () => timed(() => ready.checkpoint()),
  checkpointKnown: ({ paths }) => timed(() => ready.checkpointKnown(paths)),
  async restore({ target }) {
    await ready.beforeRestore?.(target);
    return timed(async () => (await ready.restore(target)) ?? {});
  },
  async close() {
    await ready?.close?.();
    ready = undefined;
  },
};

process.on("message", async ({ name, argument }) => {
  try {
    process.send({ answer: (await commands[name](argument)) ?? null });
  } catch (error) {
    process.send({
      error: `${error.message}${error.cause === undefined ? "" : ` (${error.cause.message})`}`,
    });
  }
});

// A process that a contender left running must not keep the benchmark from ending.
process.on("disconnect", () => process.exit());
