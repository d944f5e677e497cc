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
  "The real agent, as built, runs in print mode against a scripted server on this machine. The work consists of 8k tokens of system " +
  "prompt and tools, a task of 0.5k, 20 dead ends of 6 tool calls with results of 2k, and 10 good steps; the window holds 200k. For all " +
  "contenders, the number of tokens is a quarter of the number of bytes. Costs are in units of the price of an uncached token: read 0.1, written 1.25, uncached 1, output 5.";

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
    `${simulated} Every second dead end is followed by a good step:`,
    strategyTable(inOrder("spread")),
    `${simulated} Target figures for dead ends that come first and for dead ends that are spread out:`,
    targetsTable(rows),
    "Unscripted dead ends: the finder, without a model, drives the real loop with real tools on its sample project. Without " +
      "Backtrack, the finder would stop at its first wrong guess, so the entries that its backtracks left are counted instead of being measured in a second run:",
    finderTable(finder),
    "Automatic compactions in sessions with a bad summarizer",
    summariesTable(summaries),
    "The process is killed (kill -9) at a random moment while a tool runs, and its session is resumed",
    killsTable(kills),
  ],
  figures: { rows, finder, summaries, kills },
});
