import { createInterface } from "node:readline/promises";
import { start } from "../context/worldline.mjs";
import { attempt, environmentFor, maxSteps } from "./attempt.mjs";
import { withFolder } from "./folder.mjs";
import { judge, repairedFiles, writeProject } from "./project.mjs";
import { requestOf, usage } from "./request.mjs";
import { resultsTable, rowsOf } from "./results.mjs";
import { tasks } from "./tasks.mjs";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    // A second interrupt ends the process immediately; temporary folders are removed at exit.
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new Error("Interrupted."));
  });
}

/** Checks that every task's test fails as written, and passes after the repair. */
async function check() {
  let wrong = 0;
  for (const task of tasks) {
    const before = await withFolder(async (folder) => judged(folder, task, task.files));
    const after = await withFolder(async (folder) => judged(folder, task, repairedFiles(task)));
    const isGood = before === "not solved" && after === "solved";
    if (!isGood) wrong += 1;
    console.log(`${isGood ? "ok   " : "WRONG"} ${task.name} (${task.kind})`);
  }
  return wrong === 0 ? 0 : 1;
}

async function judged(folder, task, files) {
  writeProject(folder, { files });
  return judge(folder, task);
}

/**
 * Returns why the model cannot be used, before any money is spent. The command line finds out without a
 * request to a provider.
 */
async function obstacle(model) {
  return withFolder(async (root) => {
    const env = { ...environmentFor(root), WORLDLINE_MODEL: model };
    const { stdout, stderr } = await start(["models", "--json"], { cwd: root, env }).ended;
    const { chosen, why } = JSON.parse(stdout === "" ? "{}" : stdout);
    return chosen === null ? why : chosen === undefined ? stderr : undefined;
  });
}

function announce({ model, tasks: count, runs }) {
  const turns = count * runs * 2;
  console.log(
    [
      `${turns} turns with ${model}: ${count} tasks, ${runs === 1 ? "once" : `${runs} times`} each with Backtrack and without.`,
      `THIS COSTS MONEY: each turn is at most ${maxSteps} model calls, paid with your key. The first request of a turn is about 5,000`,
      "tokens, and each later one repeats what came before it. Nobody can say in advance how many calls a model needs.",
      "The model may edit the project created for it and run its test, and nothing else.",
    ].join("\n"),
  );
}

/** @returns {Promise<"yes" | "no" | "nobody to ask">} */
async function consent({ asked }) {
  if (asked === "yes") return "yes";
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) return "nobody to ask";
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  // While readline waits for an answer, it receives Ctrl+C instead of this process.
  lines.on("SIGINT", () => stop.abort(new Error("Interrupted.")));
  try {
    const answer = await lines.question("Go on? [y/N] ", { signal: stop.signal });
    return /^y(es)?$/iu.test(answer.trim()) ? "yes" : "no";
  } finally {
    lines.close();
  }
}

async function run(request) {
  const why = await obstacle(request.model);
  if (why !== undefined) {
    console.error(`${request.model} cannot be used: ${why.trim()}`);
    console.error(
      "The key must be in the environment, such as ANTHROPIC_API_KEY: keys stored by `worldline setup` are not used here.",
    );
    return 41;
  }
  announce(request);
  const answer = await consent(request);
  if (answer !== "yes") {
    console.error(
      answer === "no"
        ? "Nothing was done."
        : "There is no terminal to ask on. Pass --yes to continue anyway.",
    );
    return answer === "no" ? 130 : 42;
  }
  const attempts = await attemptAll(request);
  const outcome = {
    model: request.model,
    on: rowsOf(withBacktrack(attempts, "on")),
    off: rowsOf(withBacktrack(attempts, "off")),
  };
  console.log(["", `${request.model}, with Backtrack`, resultsTable(outcome.on)].join("\n\n"));
  console.log(["", `${request.model}, without`, resultsTable(outcome.off), ""].join("\n\n"));
  console.log(JSON.stringify({ ...outcome, attempts }));
  return 0;
}

const withBacktrack = (attempts, backtrack) => attempts.filter((each) => each.backtrack === backtrack);

async function attemptAll({ model, tasks: count, runs }) {
  const attempts = [];
  for (const { task, backtrack } of planned(count, runs)) {
    const done = await attempt(task, { model, backtrack, signal: stop.signal });
    const why = done.error === undefined ? "" : ` (${done.error.message})`;
    console.error(`${task.name}, Backtrack ${backtrack}: ${done.solved}${why}`);
    attempts.push(done);
    // Without a working key, all further attempts would fail too.
    if (done.error?.code === "MODEL_KEY") throw new Error(done.error.message);
  }
  return attempts;
}

/** Runs with and without Backtrack alternate, so that a provider's bad hour affects both. */
function planned(count, runs) {
  const each = tasks.slice(0, count).flatMap((task) => Array.from({ length: runs }, () => task));
  return each.flatMap((task) => ["on", "off"].map((backtrack) => ({ task, backtrack })));
}

const request = requestOf(process.argv.slice(2));
try {
  if (request.do === "wrong") {
    console.error(`${request.why}\n\n${usage}`);
    process.exitCode = 2;
  } else process.exitCode = request.do === "check" ? await check() : await run(request);
} catch (error) {
  console.error(stop.signal.aborted ? "Interrupted. All temporary files were removed." : error.message);
  process.exitCode = stop.signal.aborted ? 130 : 1;
}
