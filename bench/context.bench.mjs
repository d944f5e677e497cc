import { badSummaries } from "./context/loop/bad-summaries.mjs";
import { finderRows } from "./context/loop/finder-rows.mjs";
import { killedTurns } from "./context/loop/killed-turns.mjs";
import { definition } from "./context/sent-again.mjs";
import { play, strategies } from "./context/strategies.mjs";
import { finderTable, killsTable, strategyTable, summariesTable } from "./context/tables.mjs";
import { targetsTable } from "./context/targets.mjs";
import { report } from "./report.mjs";

const simulated = "Simulated with a scripted model that backtracks well.";
const work =
  "The real agent, as built, runs in print mode against a scripted server on this machine. The work: 8k tokens of system prompt and tools, a " +
  "task of 0.5k, 20 dead ends of 6 tool calls with results of 2k, 10 good steps, a window of 200k. For all contenders, tokens are a " +
  "quarter of the bytes. Costs are in units of the price of an uncached token: read 0.1, written 1.25, uncached 1, output 5.";

const rows = [];
for (const order of ["dead ends first", "spread"]) {
  for (const strategy of strategies) rows.push(await play(strategy, order));
}
const inOrder = (order) => rows.filter((row) => row.order === order);
const finder = await finderRows();
const summaries = await badSummaries();
const kills = await killedTurns();

report("context", {
  title: "What is in the context after 20 dead ends, and what it cost",
  tables: [
    `**${simulated}** ${work}`,
    definition,
    `${simulated} All dead ends come before the good steps:`,
    strategyTable(inOrder("dead ends first")),
    `${simulated} A good step after every second dead end:`,
    strategyTable(inOrder("spread")),
    `${simulated} The target figures, with the dead ends first and with them spread out:`,
    targetsTable(rows),
    "Unscripted dead ends: the finder, without a model, drives the real loop with real tools on its sample project. Without " +
      "Backtrack, it stops at its first wrong guess, so the entries that its backtracks left are counted, not measured in a second run:",
    finderTable(finder),
    "Sessions with a bad summarizer: automatic compactions",
    summariesTable(summaries),
    "The process is killed (kill -9) at a random moment while a tool runs, and its session is resumed",
    killsTable(kills),
  ],
  figures: { rows, finder, summaries, kills },
});
