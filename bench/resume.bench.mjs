import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { contenders } from "./contenders.mjs";
import { inChild } from "./in-child.mjs";
import { digest, stats } from "./measure.mjs";
import { conversation } from "./messages.mjs";
import { report } from "./report.mjs";
import { figure, table, times } from "./table.mjs";
import { withTempDir } from "./temp-dir.mjs";

const rounds = 5;
const spec = { count: 100_000, bytes: 117_000_000 };
const summary = "What was done so far, in a few sentences. ".repeat(40);
const scenarios = [
  {
    title: "with a compaction 100 messages before the end (no context window holds 117 MB)",
    marks: { compactAt: spec.count - 100, keep: 20, summary },
    tail: 120,
  },
  { title: "without a compaction, so the context contains all messages", marks: {}, tail: spec.count },
];

/** The messages with which every contender must resume; otherwise the times are not comparable. */
function expectedTail(tail) {
  const texts = [];
  let index = 0;
  for (const { text } of conversation(spec)) {
    if (index >= spec.count - tail) texts.push(text);
    index += 1;
  }
  return digest(texts);
}

async function measureScenario(scenario, all, root) {
  const expected = expectedTail(scenario.tail);
  const runs = all.map((contender, index) => ({ ...contender, dir: join(root, String(index)), rounds: [] }));
  for (const { url, dir } of runs) {
    mkdirSync(dir);
    await inChild("write", { url, dir, spec, marks: scenario.marks });
  }
  // Measured round by round, not contender by contender, so that a busy minute affects all of them.
  for (let round = 0; round < rounds; round += 1) {
    for (const run of runs) {
      const measured = await inChild("resume", { url: run.url, dir: run.dir, tail: scenario.tail });
      if (measured.tail !== expected) throw new Error(`${run.name} resumed with different messages.`);
      run.rounds.push(measured);
    }
  }
  return runs.map(({ name, rounds: each }) => ({
    name,
    openMs: stats(each.map((one) => one.openMs)),
    ms: stats(each.map((one) => one.ms)),
    cpuMs: stats(each.map((one) => one.cpuMs)),
    peakMb: stats(each.map((one) => one.peakMb)),
    startMb: stats(each.map((one) => one.startMb)),
    messages: each[0].messages,
  }));
}

function tableOf(rows) {
  const own = rows[0].ms.min;
  return table(rows, {
    "": (row) => row.name,
    "ready ms, min": (row) => figure(row.ms.min),
    median: (row) => figure(row.ms.median),
    "of that, opening": (row) => figure(row.openMs.min),
    "CPU ms, min": (row) => figure(row.cpuMs.min),
    "peak MB": (row) => figure(Math.round(row.peakMb.median)),
    "MB before opening": (row) => figure(Math.round(row.startMb.median)),
    "messages in context": (row) => figure(row.messages),
    "ratio to ours": (row) => times(row.ms.min / own),
  });
}

const all = await contenders();
const tables = [];
const figures = [];
for (const scenario of scenarios) {
  const rows = await withTempDir((root) => measureScenario(scenario, all, root));
  tables.push(`100,000 messages, 117 MB, ${scenario.title}; ${rounds} fresh processes each`, tableOf(rows));
  figures.push({ scenario: scenario.title, rows });
}
report("resume", { title: "Resuming a long session", tables, figures });
