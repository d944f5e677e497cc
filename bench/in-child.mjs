import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Runs children/<name>.mjs in a separate process and returns its result. Each run gets a fresh process, because one
 * contender's memory and warmed-up code must not affect the next contender.
 * @param {string} name
 * @param {unknown} task
 * @param {"answers" | "kills itself"} [ending]
 */
export function inChild(name, task, ending = "answers") {
  const script = fileURLToPath(new URL(`children/${name}.mjs`, import.meta.url));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, JSON.stringify(task)], {
      // The result has its own channel, so that a contender's output cannot be mistaken for it.
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    // Stopping the benchmark also stops the measurement, before its folder is removed.
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

/**
 * Called in the child process: performs the parent's task, returns the result, and lets the process end.
 */
export async function answerTask(work) {
  const answer = await work(JSON.parse(process.argv[2]));
  await new Promise((resolve) => process.send(answer, resolve));
  process.disconnect();
}
