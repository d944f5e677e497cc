import { parentPort, workerData } from "node:worker_threads";
import { hashAll, lookAt } from "./walk.mjs";

const next = new Int32Array(workerData.next);

/** Takes one folder after the other from the shared list until the list is empty. */
parentPort.on("message", ({ what, top, folders, leaveOut }) => {
  const results = [];
  for (let index = Atomics.add(next, 0, 1); index < folders.length; index = Atomics.add(next, 0, 1)) {
    const task = { top, under: folders[index], leaveOut };
    results.push(what === "look" ? lookAt(task) : hashAll(task));
  }
  parentPort.postMessage(results);
});
