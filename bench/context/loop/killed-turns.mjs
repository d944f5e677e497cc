import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { withTempDir } from "../../temp-dir.mjs";
import { openModelServer } from "../built.mjs";
import { environmentIn, runJson, start } from "../worldline.mjs";

/** `npm run torture` runs the full count. */
export const kills = 20;

const TOOL_MS = 400;
const command = `echo run >> runs.txt; sleep ${TOOL_MS / 1000}`;

/** Requests one command, and reports success as soon as it sees any result. */
function model({ messages }) {
  if (messages.some(({ results }) => results.length > 0)) return { text: "Done." };
  return { calls: [{ name: "Bash", input: { command } }] };
}

/** Figure 12: the process is killed during a tool call, and the session is resumed. */
export async function killedTurns() {
  const counts = { kills: 0, ranAgain: 0, toldPerson: 0, toldModel: 0, finished: 0 };
  for (let index = 0; index < kills; index += 1) {
    const outcome = await withTempDir((root) => killOne(root));
    counts.kills += 1;
    for (const [name, holds] of Object.entries(outcome)) if (holds) counts[name] += 1;
  }
  return counts;
}

async function killOne(root) {
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  const server = await openModelServer(model);
  try {
    const where = { cwd: workspace, env: environmentIn(root, server.environment("anthropic")) };
    const common = ["--workspace", workspace];
    const asking = ["--model", server.modelFor("anthropic"), "--permission-mode", "auto"];
    const runs = join(workspace, "runs.txt");
    const turn = start(["-p", "Run it.", ...common, ...asking], where);
    while (!existsSync(runs) && turn.child.exitCode === null) await wait(5);
    await wait(Math.random() * (TOOL_MS - 100));
    turn.kill();
    await turn.ended;
    // A process that the tool started may outlive the agent, and must not be counted as another run.
    await wait(TOOL_MS);
    const ranBefore = linesOf(runs);
    const { document: state } = await runJson(["resume", ...common], where);
    const { document: end } = await runJson(["resume", "--continue", ...common, ...asking], where);
    const results = server.requests.at(-1).messages.flatMap((message) => message.results);
    return {
      ranAgain: linesOf(runs) !== ranBefore,
      toldPerson: state.open.turn.openCalls?.some(({ name }) => name === "Bash") === true,
      toldModel: results.some(({ text }) => text.startsWith("Interrupted;")),
      finished: end.outcome === "done",
    };
  } finally {
    await server.close();
  }
}

const linesOf = (file) => readFileSync(file, "utf8").trim().split("\n").length;
