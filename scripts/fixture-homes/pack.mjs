import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** @typedef {import("./stage.mjs").Stage} Stage */

/**
 * Files that are meaningless to another process: locks, sockets, reserved space, and SQLite's shared-memory
 * files next to a closed database.
 */
const left = /^(?:reserve|alive\/.*|.*\/lock(?:\.[^/]*)?|.*\.lock|sessions\.db-shm)$/u;

/** @param {string} folder @returns {string[]} The plain files below it, relative to it. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => relative(folder, join(each.parentPath, each.name)))
    .sort();
}

/**
 * Returns the text of each file in the workspace, by path.
 * @param {string} workspace
 * @returns {Record<string, string>}
 */
function filesOf(workspace) {
  return Object.fromEntries(
    filesIn(workspace).map((path) => [path, readFileSync(join(workspace, path), "utf8")]),
  );
}

/** @param {string} path @param {object} value */
const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);

/**
 * Copies the stage into the fixture's folder, and records the program's output for the stage.
 * @param {Stage} stage
 * @param {string} target
 */
export async function pack(stage, target) {
  rmSync(target, { recursive: true, force: true });
  for (const path of filesIn(stage.home).filter((each) => !left.test(each))) {
    if (path.endsWith(".db-wal")) {
      if (statSync(join(stage.home, path)).size > 0) throw new Error("The database was not closed.");
      continue;
    }
    const copy = join(target, "home", path);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(stage.home, path), copy);
  }
  writeJson(join(target, "workspace.json"), filesOf(stage.workspace));
  writeJson(join(target, "printed.json"), await printed(stage));
}

/**
 * Returns the program's output for each session, and the workspace after the session's journeys.
 * @param {Stage} stage
 */
async function printed(stage) {
  const { sessions } = JSON.parse(await say(stage, ["sessions", "--json"]));
  const contexts = [];
  for (const { id, mode, entries } of sessions) {
    const at = ["--session", id];
    const { checkpoints } = JSON.parse(await say(stage, ["checkpoints", "--json", ...at]));
    const numbers = checkpoints.map((/** @type {{ number: number }} */ { number }) => number).sort(byNumber);
    const context = await say(stage, ["context", ...at]);
    /** @type {Record<string, string>} */
    const contextAt = {};
    for (const number of numbers)
      contextAt[number] = digest(await say(stage, ["context", "--at", String(number), ...at]));
    contexts.push({ session: id, mode, entries, context, contextAt });
  }
  const journeys = [];
  for (const { session, contextAt } of contexts) {
    const [to] = Object.keys(contextAt);
    if (to === undefined) continue;
    const at = ["--session", session, "--yes"];
    await say(stage, ["rewind", to, "--take", ...at]);
    const rewound = await present(stage, session);
    await say(stage, ["redo", "--take", ...at]);
    journeys.push({ session, to, rewound, redone: await present(stage, session) });
  }
  return { contexts, journeys };
}

/** The complete texts would make up most of the fixture, so only their digests are recorded. */
const digest = (/** @type {string} */ text) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** @param {number} a @param {number} b */
const byNumber = (a, b) => a - b;

/** @param {Stage} stage @param {string} session */
async function present(stage, session) {
  const files = Object.entries(filesOf(stage.workspace)).map(([path, text]) => [path, digest(text)]);
  return {
    context: digest(await say(stage, ["context", "--session", session])),
    files: Object.fromEntries(files),
  };
}

/** @param {Stage} stage @param {readonly string[]} words */
async function say(stage, words) {
  const { code, stdout, stderr } = await stage.run(words);
  if (code !== 0) throw new Error(`worldline ${words.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}
