import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { contenders, stores } from "./contenders.mjs";
import { inChild } from "./in-child.mjs";
import { stats } from "./measure.mjs";
import { leftOut, withPostgres } from "./postgres.mjs";
import { report } from "./report.mjs";
import { contention, processes, turns } from "./stores/contention.mjs";
import { killedCalls, stageNames } from "./stores/killed-calls.mjs";
import { figure, table, times } from "./table.mjs";
import { withTempDir } from "./temp-dir.mjs";

const rounds = 5;

/**
 * The tasks. The fixture `on` is created once per store and only read after that. Without `on`, each round
 * starts with an empty folder.
 */
const works = [
  { title: "1,000 messages of 2 KB, one by one, each durable before the next", what: "one by one" },
  { title: "1,000 messages of 2 KB, in batches of 100", what: "batches" },
  { title: "opening a session of 10,000 messages (20 MB)", what: "open", on: "a long session" },
  { title: "reading the last 100 entries of that session", what: "read the end", on: "a long session" },
  { title: "listing the 50 sessions of one workspace among 500", what: "list", on: "many sessions" },
];

async function made(entrants, root) {
  const folders = new Map();
  for (const on of new Set(works.flatMap((work) => work.on ?? []))) {
    for (const [index, { url }] of entrants.entries()) {
      const dir = join(root, `${on.replaceAll(" ", "-")}-${index}`);
      mkdirSync(dir);
      await inChild("store-work", { url, dir, what: on });
      folders.set(`${on} ${url}`, dir);
    }
  }
  return folders;
}

/** Measures all stores in turn in each round, so that a busy minute affects all of them. */
async function measureWork({ title, what, on }, entrants, folders) {
  const runs = entrants.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { url }] of entrants.entries()) {
      const measured =
        on === undefined
          ? await withTempDir((dir) => inChild("store-work", { url, dir, what }))
          : await inChild("store-work", { url, dir: folders.get(`${on} ${url}`), what });
      runs[index].push(measured.ms);
    }
  }
  return { title, ms: runs.map(stats) };
}

const columns = (entrants, value) =>
  Object.fromEntries(entrants.map(({ name }, index) => [name, (row) => value(row, index)]));

function counted(rows, asked) {
  return table(rows, {
    "": (row) => row.name,
    ...asked,
  });
}

const verdict = (holds) => (holds ? "reached" : "NOT reached");

await withPostgres(async (postgres) => {
  const [files] = await contenders();
  const entrants = [{ ...files, name: `${files.name} in files` }, ...(await stores(postgres))];
  const speeds = await withTempDir(async (root) => {
    const folders = await made(entrants, root);
    const rows = [];
    for (const work of works) rows.push(await measureWork(work, entrants, folders));
    return rows;
  });
  const contended = [];
  const killed = [];
  for (const entrant of entrants) {
    contended.push(await contention(entrant));
    killed.push(await killedCalls(entrant));
  }
  report("stores", {
    title: "The same work on each store",
    tables: [
      ...(postgres === "absent" ? [leftOut] : []),
      `Ratios to the files store, by the minimum of ${rounds} rounds (in parentheses: by the median). Postgres runs on this machine, with fsync on`,
      table(speeds, {
        "": (row) => row.title,
        ...columns(entrants, ({ ms }, index) =>
          index === 0
            ? `${figure(ms[0].min)} ms`
            : `${times(ms[index].min / ms[0].min)} (${times(ms[index].median / ms[0].median)})`,
        ),
      }),
      `${processes} processes on one session, ${turns} turns of writing each (figure 11)`,
      counted(contended, {
        acknowledged: (row) => figure(row.acknowledged),
        lost: (row) => figure(row.lost),
        "two writers at once": (row) => figure(row.collisions),
        "waiting processes that learned who holds the session": (row) => `${row.waitsTold} of ${row.waits}`,
        "damaged lines": (row) => figure(row.damage),
        "target: nothing lost, one writer": (row) =>
          verdict(
            row.lost + row.collisions + row.damage === 0 &&
              row.waitsTold === row.waits &&
              row.acknowledged === processes * turns * 2,
          ),
      }),
      `The agent is killed (kill -9) at one of these stages of a tool call, and its session is resumed (figure 12): ${stageNames.join("; ")}`,
      counted(killed, {
        kills: (row) => figure(row.kills),
        reported: (row) => `${row.reported} of ${row.kills}`,
        "run again automatically": (row) => figure(row.ranAgain),
        "turn finished afterwards": (row) => figure(row.finished),
        "target: always reported correctly, never run again": (row) =>
          verdict(row.reported === row.kills && row.ranAgain === 0),
      }),
    ],
    figures: { speeds, contended, killed },
  });
});
