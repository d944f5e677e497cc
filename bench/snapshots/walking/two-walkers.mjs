import { once } from "node:events";
import { lstatSync, readdirSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { hashAll, lookAt } from "./walk.mjs";

/** Distributes the top-level folders. The few files next to them are not worth distributing. */
function deal(top, leaveOut) {
  const entries = readdirSync(top, { withFileTypes: true }).filter(({ name }) => !leaveOut.includes(name));
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  return { folders, files };
}

/** Two threads that walk a workspace together. They are started once, not for each walk. */
export async function twoWalkers() {
  const next = new SharedArrayBuffer(4);
  const script = new URL("walk-worker.mjs", import.meta.url);
  const workers = [1, 2].map(() => new Worker(script, { workerData: { next } }));
  await Promise.all(workers.map((worker) => once(worker, "online")));

  async function together(what, top, leaveOut) {
    const { folders, files } = deal(top, leaveOut);
    new Int32Array(next)[0] = 0;
    const answers = workers.map(async (worker) => (await once(worker, "message"))[0]);
    for (const worker of workers) worker.postMessage({ what, top, folders, leaveOut });
    return { folders, files, results: (await Promise.all(answers)).flat() };
  }

  return {
    /** Visits everything; returns the number of paths. */
    async look(top, leaveOut) {
      const { folders, files, results } = await together("look", top, leaveOut);
      for (const name of [...folders, ...files]) lstatSync(`${top}/${name}`);
      return results.reduce((sum, each) => sum + each, folders.length + files.length);
    },
    /** Every path with a text that identifies its content, read from the disk. */
    async hash(top, leaveOut) {
      const { folders, results } = await together("hash", top, leaveOut);
      const words = new Map(results.flat());
      for (const name of folders) words.set(name, "folder");
      // Visits only the files in the top folder; the threads have read everything below it.
      for (const [path, word] of hashAll({ top, under: "", leaveOut: [...leaveOut, ...folders] }))
        words.set(path, word);
      return words;
    },
    close: () => Promise.all(workers.map((worker) => worker.terminate())),
  };
}

/** The same walk in one thread. */
export const lookAlone = (top, leaveOut) => lookAt({ top, under: "", leaveOut });
