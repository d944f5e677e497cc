import { spawn } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isolated } from "./isolation.mjs";

const script = fileURLToPath(new URL("contender-process.mjs", import.meta.url));
const names = ["worldline", "gemini", "opencode", "cline-shadow", "cline-sdk", "codex-ghost"];

/**
 * The contenders to run; ours is "worldline". WORLDLINE_BENCH_CONTENDERS selects some of them; by default, all run.
 */
export function chosenContenders() {
  const wanted = process.env.WORLDLINE_BENCH_CONTENDERS?.split(",");
  const unknown = wanted?.filter((each) => !names.includes(each)) ?? [];
  if (unknown.length > 0)
    throw new Error(`Unknown contender: ${unknown.join(", ")}. Contenders: ${names.join(", ")}.`);
  return wanted ?? names;
}

/** WORLDLINE_BENCH_SNAPSHOTS_DRIVER names another file to use as our driver, to compare a change with the build. */
function driverOf(key) {
  const other = process.env.WORLDLINE_BENCH_SNAPSHOTS_DRIVER;
  if (key === "worldline" && other !== undefined) return pathToFileURL(other).href;
  return new URL(`contenders/${key}.mjs`, import.meta.url).href;
}

/**
 * Starts a contender in its own process, with its own home and without the user's environment.
 * @param {string} key a file in contenders/
 * @param {string} home
 */
export async function startContender(key, home) {
  const child = spawn(process.execPath, [script], {
    env: isolated(home),
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const stop = () => child.kill("SIGKILL");
  process.prependListener("exit", stop);
  let isStopping = false;

  function ask(name, argument = {}) {
    return new Promise((resolve, reject) => {
      const died = (code, signal) =>
        reject(new Error(`${key} ended with ${signal ?? `code ${code}`} in ${name}.`));
      child.once("exit", died);
      child.once("message", ({ answer, error }) => {
        child.off("exit", died);
        if (error === undefined) resolve(answer);
        else reject(new Error(`${key} could not ${name}: ${error}`));
      });
      child.send({ name, argument });
    });
  }

  const remedy = key === "worldline" ? "`npm run build` in the project" : "`npm ci` in bench/";
  const { name, first, keeps } = await ask("meet", { url: driverOf(key) }).catch((cause) => {
    throw new Error(`${cause.message} Run ${remedy} first.`, { cause });
  });
  return {
    key,
    name,
    isOurs: key === "worldline",
    copies: first === "copies everything",
    keeps,
    ask,
    async stop() {
      if (isStopping) return;
      isStopping = true;
      await ask("close").catch(() => {});
      child.disconnect();
      process.off("exit", stop);
    },
  };
}

/** The list rotated by `round` positions, so that no contender always comes first. */
export const rotated = (list, round) => list.map((_, index) => list[(index + round) % list.length]);
