import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSession, openStore, openWorkspaceFiles, systemClock } from "../dist/index.js";
import { openModelServer } from "../dist/testing/testing.js";
import { stats } from "./measure.mjs";
import { report } from "./report.mjs";
import { timeOfList } from "./start/list-in-terminal.mjs";
import { figure, table, times } from "./table.mjs";
import { withTempDir } from "./temp-dir.mjs";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const sizes = [2_000, 20_000, 100_000];
const rounds = 2;
const usage = { input: 10_500, output: 400, cacheRead: 9000, cacheWrite: 300 };
const text = (words) => [{ type: "text", text: words }];

/**
 * The entries of each checkpoint. The context consists of what the agent did after a prompt, so a turn
 * sends little.
 */
const shapes = {
  "steps of one prompt": (number) =>
    number === 1
      ? [
          { kind: "checkpoint", number, on: "prompt" },
          { kind: "prompt", parts: text("Go through all files.") },
        ]
      : [{ kind: "step", number }],
  "prompts, each with an answer": (number) => [
    { kind: "checkpoint", number, on: "prompt" },
    { kind: "prompt", parts: text(`Question ${number}`) },
    { kind: "reply", model: "m", parts: text("An answer."), usage, stop: "end" },
  ],
  "manual checkpoints": (number) => [{ kind: "checkpoint", number, on: "manual" }],
};

async function writeCheckpoints(dir, entriesOf, count) {
  const workspace = join(dir, "workspace");
  const home = join(dir, "home");
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, "a.txt"), "one");
  const files = await openWorkspaceFiles({ workspace, home });
  const { snapshot } = await files.capture({ look: "everything" });
  await files.close();
  const store = openStore("files", { home });
  const session = await createSession({ store, clock: systemClock }, { workspace }, { name: "bench" });
  for (let number = 1; number <= count; ) {
    const batch = [];
    for (; number <= count && batch.length < 4_000; number += 1) {
      const captured = {
        kind: "snapshot",
        checkpoint: number,
        state: "complete",
        snapshot,
        author: "timeline",
      };
      batch.push(...[...entriesOf(number), captured].map((draft) => ({ draft })));
    }
    await session.write(batch);
  }
  await session.close();
  await store.close();
  return { dir, workspace, home, session: session.id };
}

function worldline({ dir, workspace, home }, args, environment = {}) {
  const env = { PATH: process.env.PATH, HOME: dir, WORLDLINE_HOME: home, ...environment };
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: workspace,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // Drain the output, so that the writer does not block.
  child.stdout.resume();
  child.stderr.resume();
  return child;
}

const ended = (child) => new Promise((resolve) => child.on("close", resolve));

async function timeOf(place, args) {
  const start = performance.now();
  const code = await ended(worldline(place, args));
  if (code !== 0) throw new Error(`worldline ${args.join(" ")} exited with ${code}`);
  return performance.now() - start;
}

/** The time from the start of the program until the model is called. */
async function timeToTurn(place) {
  const start = performance.now();
  let asked;
  const reached = new Promise((resolve) => {
    asked = resolve;
  });
  const server = await openModelServer(() => {
    asked(performance.now() - start);
    return { text: "Done." };
  });
  const model = server.modelFor("anthropic");
  const args = ["-p", "next", "--session", place.session, "--model", model];
  const child = worldline(place, args, server.environment("anthropic"));
  const over = ended(child);
  const ms = await Promise.race([reached, over.then(() => undefined)]);
  await over;
  await server.close();
  if (ms === undefined) throw new Error("The model was never called.");
  return ms;
}

/** The time that the terminal's list takes, from the command until the list has handled a key. */
async function timeToList({ dir, workspace, home, session }, count) {
  const env = { PATH: process.env.PATH, HOME: dir, WORLDLINE_HOME: home, LANG: "en_US.UTF-8" };
  const command = [process.execPath, cli, "-r", session];
  return timeOfList(command, { cwd: workspace, env }, count);
}

const measured = {
  "`worldline checkpoints --steps`": (place) => timeOf(place, ["checkpoints", "--steps", "--json"]),
  "`/rewind` in the terminal": timeToList,
  "until a turn calls the model": timeToTurn,
};

/**
 * Skips the terminal's list for steps of one prompt: the list folds steps into one row, and a session that ends inside
 * a turn first asks how to continue.
 */
const isMeasured = (what, shape) => measured[what] !== timeToList || shape !== "steps of one prompt";

const tables = [];
const figures = [];
for (const [shape, entriesOf] of Object.entries(shapes)) {
  const rows = [];
  for (const count of sizes) {
    await withTempDir(async (dir) => {
      const place = await writeCheckpoints(dir, entriesOf, count);
      for (const [what, measure] of Object.entries(measured)) {
        if (!isMeasured(what, shape)) continue;
        const all = [];
        for (let round = 0; round < rounds; round += 1) all.push(await measure(place, count));
        rows.push({ what, count, ms: stats(all) });
      }
    });
  }
  const first = (what) => rows.find((row) => row.what === what).ms.min;
  const sorted = Object.keys(measured).flatMap((what) => rows.filter((row) => row.what === what));
  tables.push(
    `${shape}; ${rounds} rounds each, fresh processes. With linear growth, the ratios would be at most 10x and 50x`,
    table(sorted, {
      "": ({ what }) => what,
      checkpoints: ({ count }) => figure(count),
      "ms, min": ({ ms }) => figure(ms.min),
      median: ({ ms }) => figure(ms.median),
      "ratio to 2,000": ({ what, ms }) => times(ms.min / first(what)),
    }),
  );
  figures.push({ shape, rows });
}
report("checkpoints", { title: "Sessions of up to 100,000 checkpoints", tables, figures });
