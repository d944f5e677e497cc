import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rotated } from "../contenders.mjs";
import { commitAll, userGit } from "../user-git.mjs";
import { settle } from "./samples.mjs";

const upheaval = { changed: 100, created: 50, deleted: 50 };
const notCompared = [".git"];

/**
 * Every path that differs. Folders are listed separately: git does not store folders, so contenders that use
 * git leave empty folders.
 */
function differences(expected, found) {
  const paths = new Set([...expected.keys(), ...found.keys()]);
  const wrong = [...paths].filter((path) => expected.get(path) !== found.get(path));
  const isFolder = (path) =>
    [expected.get(path), found.get(path)].every((word) => word === undefined || word === "folder");
  return { files: wrong.filter((path) => !isFolder(path)), folders: wrong.filter(isFolder) };
}

/** Restores the workspace, so that the next contender starts from the same state. */
async function repair({ made, expected, wrong, uncommitted }) {
  const at = (path) => join(made.workspace, path);
  const all = [...wrong.files, ...wrong.folders];
  for (const path of all) if (!expected.has(path)) rmSync(at(path), { recursive: true, force: true });
  for (const path of wrong.folders) if (expected.has(path)) mkdirSync(at(path), { recursive: true });
  const lost = wrong.files.filter((path) => expected.has(path));
  const committed = lost.filter((path) => !uncommitted.has(path));
  if (committed.length > 0) await userGit(made.workspace)(["checkout", "HEAD", "--", ...committed]);
  for (const path of lost.filter((each) => uncommitted.has(each))) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), uncommitted.get(path));
  }
}

/** Makes a checkpoint, edits, makes another checkpoint, restores the first, and compares every path. */
async function goThereAndBack({ made, contender, makeEdits, floors, expected }) {
  await settle();
  const { result: target } = await contender.ask("checkpoint");
  makeEdits();
  await settle();
  await contender.ask("checkpoint");
  const { ms, result } = await contender.ask("restore", { target });
  return {
    ms,
    ...result,
    wrong: differences(expected, await floors.walkers.hash(made.workspace, notCompared)),
  };
}

async function measureRow(bench, row, makeEdits) {
  const { made, edits, contenders, rounds, floors, figures } = bench;
  const wrongPaths = new Map(contenders.map(({ key }) => [key, { files: 0, folders: 0 }]));
  for (let round = 0; round < rounds; round += 1) {
    await commitAll(made.workspace);
    // A typical session has uncommitted edits.
    const [path] = edits.edit(`before ${row} ${round}`, 1);
    const uncommitted = new Map([[path, readFileSync(join(made.workspace, path))]]);
    const expected = await floors.walkers.hash(made.workspace, notCompared);
    for (const contender of rotated(contenders, round)) {
      const tag = `${row} ${round}`.replaceAll(" ", "-");
      const there = { made, contender, makeEdits: () => makeEdits(tag), floors, expected };
      const { ms, scanMs, restMs, wrong } = await goThereAndBack(there);
      await repair({ made, expected, wrong, uncommitted });
      const mine = figures.get(contender.key);
      mine.add(row, ms);
      mine.add(`${row}, scan`, scanMs);
      mine.add(`${row}, rest`, restMs);
      const most = wrongPaths.get(contender.key);
      most.files = Math.max(most.files, wrong.files.length);
      most.folders = Math.max(most.folders, wrong.folders.length);
    }
  }
  return Object.fromEntries(wrongPaths);
}

/**
 * Rows e and f. After each restore, the whole tree is hashed again by a walk that does not share code with any
 * contender. The round with the most wrong paths is reported.
 */
export async function measureRestores(bench) {
  const one = await measureRow(bench, "restore 1", (tag) => bench.edits.edit(tag, 1));
  const many = await measureRow(bench, "restore 200", (tag) => bench.edits.upheaval(tag, upheaval));
  return { "restore 1": one, "restore 200": many };
}
