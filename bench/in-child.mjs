import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Runs children/<name>.mjs in a process of its own and returns what it handed back. A fresh process each time:
 * the memory of one contender must not be the next one's, nor its warm code.
 * @param {string} name
 * @param {unknown} task
 * @param {"answers" | "kills itself"} [ending]
 */
export function inChild(name, task, ending = "answers") {
  const script = fileURLToPath(new URL(`children/${name}.mjs`, import.meta.url));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, JSON.stringify(task)], {
      // The answer has a channel of its own, so that nothing a contender prints can be taken for it.
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    // Whoever stops the benchmark stops the measurement too, before the folder is removed under it.
    const stop = () => child.kill("SIGKILL");
    process.prependListener("exit", stop);
    let answer;
    child.on("message", (message) => {
      answer = message;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      process.off("exit", stop);
      if (code === 0 && answer !== undefined) resolve(answer);
      else if (signal === "SIGKILL" && ending === "kills itself") resolve(undefined);
      else reject(new Error(`children/${name}.mjs ended with ${signal ?? `code ${code}`}.`));
    });
  });
}

/** In the child: does the task that it was started with, hands the result back and lets the process end. */
export async function answerTask(work) {
  const answer = await work(JSON.parse(process.argv[2]));
  await new Promise((resolve) => process.send(answer, resolve));
  process.disconnect();
}
