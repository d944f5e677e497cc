import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stats } from "./measure.mjs";
import { report } from "./report.mjs";
import { cpuOfRun } from "./start/cpu-time.mjs";
import { cpuToEditor, cpuToFirstScreen, cpuToText } from "./start/first-screen.mjs";
import { endOf, writeLongSession } from "./start/long-session.mjs";
import { buildPiTuiAlone } from "./start/pi-tui-alone.mjs";
import { figure, table, times } from "./table.mjs";
import { withTempDir } from "./temp-dir.mjs";

const rounds = 9;
const node = process.execPath;
// WORLDLINE_BENCH_CLI names another program to measure, to test the measurement itself.
const cli = process.env["WORLDLINE_BENCH_CLI"] ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const library = new URL("../dist/index.js", import.meta.url).href;

/** The starts to measure, with the required figure if there is one. */
const startsOf = (piTui) => [
  { name: "node -e 0", measure: cpuOfRun, command: [node, "-e", "0"] },
  { name: "worldline --version", measure: cpuOfRun, command: [node, cli, "--version"], atMost: 1.3 },
  {
    name: 'import("worldline")',
    measure: cpuOfRun,
    command: [node, "-e", `import(${JSON.stringify(library)})`],
  },
  { name: "pi-tui alone, bundled: first screen", measure: cpuToFirstScreen, command: [node, piTui] },
  {
    name: "worldline: the frame of the first screen",
    measure: cpuToFirstScreen,
    command: [node, cli],
    atMost: 3,
  },
  { name: "worldline: the editor accepts keys", measure: cpuToEditor, command: [node, cli] },
  { name: "the same with a model", measure: cpuToEditor, command: [node, cli], model: "set" },
  resumed(20),
  resumed(20_000),
];

/** A start with a session of five entries per turn, measured until the end of the session is visible. */
function resumed(turns) {
  const name = `worldline: a session of ${(turns * 5).toLocaleString("en-US")} entries is on the screen`;
  return { name, measure: cpuToText(endOf(turns)), command: [node, cli], turns };
}

/** A home and a workspace that the program has opened before, independent of this machine's environment. */
function placeIn(dir, model) {
  const home = join(dir, "home");
  const cwd = join(home, "workspace");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "README.md"), "# A workspace\n");
  const key = {
    ANTHROPIC_API_KEY: "none",
    WORLDLINE_MODEL: "anthropic/none",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
  };
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    WORLDLINE_HOME: join(home, ".worldline"),
    TMPDIR: dir,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    // No server listens on this port: services on this machine must not affect the figures.
    OLLAMA_HOST: "http://127.0.0.1:9",
    ...(model === "set" ? key : {}),
  };
  return { cwd, env };
}

async function commandOf({ command, turns }, { cwd, env }) {
  if (turns === undefined) return command;
  const session = await writeLongSession({ home: env["WORLDLINE_HOME"], workspace: cwd, turns });
  return [...command, "-r", session];
}

async function measureAll(dir) {
  const starts = startsOf(await buildPiTuiAlone(dir));
  const rows = [];
  for (const [index, start] of starts.entries()) {
    const place = placeIn(join(dir, String(index)), start.model);
    rows.push({ ...start, command: await commandOf(start, place), place, cpuMs: [] });
  }
  // The first run of each start is discarded, because it reads from the disk what later runs find in memory.
  // The starts take turns in each round, so that a busy minute affects all of them.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { measure, command, place, cpuMs } of rows) {
      const measured = await measure(command, place);
      if (round > 0) cpuMs.push(measured);
    }
  }
  return rows.map(({ name, atMost, cpuMs }) => ({ name, atMost, cpuMs: stats(cpuMs) }));
}

const rows = await withTempDir(measureAll);
const [bare] = rows;
const ratios = rows.map((row) => ({
  ...row,
  byMin: row.cpuMs.min / bare.cpuMs.min,
  byMedian: row.cpuMs.median / bare.cpuMs.median,
}));
const printed = table(ratios, {
  "": (row) => row.name,
  "CPU ms, min": (row) => figure(row.cpuMs.min),
  median: (row) => figure(row.cpuMs.median),
  "ratio to bare node, min": (row) => times(row.byMin),
  "ratio, median": (row) => times(row.byMedian),
  target: (row) => (row.atMost === undefined ? "-" : `<= ${row.atMost}x`),
});
const [short, long] = ratios.slice(-2);
const growth = times(long.cpuMs.min / short.cpuMs.min);
report("start", {
  title: "Starting",
  tables: [
    `CPU time, user and system, ${rounds} fresh processes each; the first screen in an 80×24 terminal`,
    printed,
    `The session with a thousand times as many entries takes ${growth} the CPU time of the short session, by min`,
  ],
  figures: ratios,
});
