import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { driverAt } from "../contenders.mjs";
import { openModelServer } from "../context/built.mjs";
import { environmentIn, runJson, start } from "../context/worldline.mjs";
import { withTempDir } from "../temp-dir.mjs";

const TOOL_MS = 300;
const command = `echo run >> runs.txt; sleep ${TOOL_MS / 1000}`;
const rounds = 3;

const isNamed = ({ openCalls = [], finishedCalls = [], unstartedCalls = [] }) =>
  [...openCalls, ...finishedCalls, ...unstartedCalls].some((call) => call.name === "Bash");
/** A call that has ended must not be reported as interrupted. */
const isOver = ({ openCalls = [], unstartedCalls = [] }) => openCalls.length + unstartedCalls.length === 0;

/**
 * The stages. Each says when the process is killed (as soon as it has reported that an entry is in the log, or
 * when the command has begun), and what the turn must report afterward.
 */
const stages = {
  "the call was requested": { moment: (turn) => told(turn, "reply"), isReported: isNamed },
  "its start was logged": { moment: (turn) => told(turn, "tool-start"), isReported: isNamed },
  "it ran": { moment: (turn, runs) => until(turn, () => existsSync(runs)), isReported: isNamed },
  "its end was logged": { moment: (turn) => told(turn, "tool-end"), isReported: isOver },
};

const told = (turn, kind) => until(turn, () => turn.said().includes(`"kind":"${kind}"`));

async function until(turn, holds) {
  while (!holds() && turn.child.exitCode === null) await wait(2);
}

/** Requests one command, and reports success as soon as it sees any result. */
function model({ messages }) {
  if (messages.some(({ results }) => results.length > 0)) return { text: "Done." };
  return { calls: [{ name: "Bash", input: { command } }] };
}

/** Figure 12: the process is killed at each stage of a tool call, and the session is resumed. */
export async function killedCalls({ name, url }) {
  const counts = { name, kills: 0, reported: 0, ranAgain: 0, finished: 0 };
  for (let round = 0; round < rounds; round += 1) {
    for (const stage of Object.values(stages)) {
      const outcome = await withTempDir((root) => killOne(root, { url, stage }));
      counts.kills += 1;
      for (const [what, holds] of Object.entries(outcome)) if (holds) counts[what] += 1;
    }
  }
  return counts;
}

export const stageNames = Object.keys(stages);

async function killOne(root, { url, stage }) {
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  const driver = await driverAt(url);
  await driver.prepare(root);
  const server = await openModelServer(model);
  try {
    const settings = { ...server.environment("anthropic"), WORLDLINE_STORE: driver.address(root) };
    const where = { cwd: workspace, env: environmentIn(root, settings) };
    const common = ["--workspace", workspace];
    const asking = ["--model", server.modelFor("anthropic"), "--permission-mode", "auto"];
    const runs = join(workspace, "runs.txt");
    const turn = start(["-p", "Run it.", ...common, ...asking, "--output-format", "stream-json"], where);
    await stage.moment(turn, runs);
    turn.kill();
    await turn.ended;
    // A process that the tool started may outlive the agent, and must not be counted as another run.
    await wait(TOOL_MS);
    const ranBefore = linesOf(runs);
    const { document } = await runJson(["resume", ...common], where);
    const { document: end } = await runJson(["resume", "--continue", ...common, ...asking], where);
    return {
      reported: stage.isReported(document.open.turn),
      ranAgain: linesOf(runs) !== ranBefore,
      finished: end.outcome === "done",
    };
  } finally {
    await server.close();
  }
}

const linesOf = (file) => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0);
