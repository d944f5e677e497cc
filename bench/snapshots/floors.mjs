import { createHash } from "node:crypto";
import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { lookAlone, twoWalkers } from "./walking/two-walkers.mjs";

/** No contender stores `.git`, and all of them leave out a large ignored folder. */
const notLookedAt = [".git", "node_modules"];
/** In addition to its name, a folder entry has a hash, a mode and a size. */
const BYTES_EACH_ENTRY = 48;

const hash = (bytes) => createHash("sha256").update(bytes).digest();
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** Every folder above a path, the innermost first; "" is the top. */
function foldersAbove(path) {
  const parts = path.split("/").slice(0, -1);
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join("/")), ""];
}

const elapsed = (work) => {
  const started = performance.now();
  work();
  return performance.now() - started;
};

/** Measures the minimum costs on this machine, between the contenders' rounds. */
export async function openFloors(made, root) {
  const walkers = await twoWalkers();
  const segment = openSync(join(root, "floor.segment"), "a");

  /** A folder object as long as one of ours, made of known names and one new hash. */
  const folderBytes = (names, child) =>
    Buffer.concat(
      names.flatMap((name) => [Buffer.from(name, "latin1"), Buffer.alloc(BYTES_EACH_ENTRY - 32), child]),
    );

  function keepOneEdit(path, remembered) {
    const content = readFileSync(join(made.workspace, path));
    let child = hash(content);
    const records = [brotliCompressSync(content, quick)];
    for (const names of remembered) {
      const folder = folderBytes(names, child);
      child = hash(folder);
      records.push(folder);
    }
    writeSync(segment, Buffer.concat(records));
    fdatasyncSync(segment);
  }

  return {
    walkers,
    async walks() {
      const started = performance.now();
      await walkers.look(made.workspace, notLookedAt);
      const twoThreads = performance.now() - started;
      return { twoThreads, oneThread: elapsed(() => lookAlone(made.workspace, notLookedAt)) };
    },
    /** A checkpoint of one edit at a known path: read, hash, compress, folders, one append, one sync. */
    oneEdit(path) {
      const remembered = foldersAbove(path).map((folder) => readdirSync(join(made.workspace, folder)));
      return elapsed(() => keepOneEdit(path, remembered));
    },
    async close() {
      closeSync(segment);
      await walkers.close();
    },
  };
}
