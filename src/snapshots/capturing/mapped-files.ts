import { readdirSync, readFileSync, statfsSync } from "node:fs";
import { nodePath } from "../../disk/held-folder.ts";
import { errnoOf } from "../../record/error.ts";
import type { PathBytes } from "../../record/files.ts";
import type { Signature } from "../finding/findings.ts";

/**
 * A process that has mapped a file writes to it without any call. The system notices the first write to a page, moves the
 * times of the file, and notices no further one until it has written the page to the disk, which Linux does after some 30
 * seconds. So the times of a file that changed longer ago than this can be trusted again.
 */
const SETTLED_AFTER_MS = 120_000;

/** Up to so much is read again each time; for more it is cheaper to ask which files are mapped. */
const MAX_FILES_READ_AGAIN = 128;
const MAX_BYTES_READ_AGAIN = 8 * 1024 * 1024;

/** tmpfs and ramfs: nothing is written to a disk, so the times of a mapped file never move. */
const MEMORY_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x0102_1994, 0x8584_58f6]);

/** What the system knows of mapped files. */
export interface Mappings {
  /** "never": the times of a file do not move when it is written to through a mapping. */
  readonly timesMove: "once-a-page" | "never";
  /** The inodes of files that are mapped to be written to; undefined where the system does not tell. */
  inodes(): ReadonlySet<number> | undefined;
}

export function mappingsAt(root: PathBytes): Mappings {
  return { timesMove: isInMemory(root) ? "never" : "once-a-page", inodes: mappedInodes };
}

function isInMemory(root: PathBytes): boolean {
  if (process.platform !== "linux") return false;
  try {
    return MEMORY_FILE_SYSTEMS.has(statfsSync(nodePath(root)).type);
  } catch (error) {
    // The capture meets the same, and says that the workspace cannot be read.
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** Of processes that this one may look at; other users' are not seen. */
function mappedInodes(): ReadonlySet<number> | undefined {
  if (process.platform !== "linux") return undefined;
  const inodes = new Set<number>();
  for (const name of namesOf("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    for (const [, inode] of mapsOf(name).matchAll(/^\S+ .w.s \S+ \S+ ([1-9]\d*)/gm))
      inodes.add(Number(inode));
  }
  return inodes;
}

function namesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

/** Empty for a process that has ended, or that is someone else's. */
function mapsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/maps`, "latin1");
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return "";
  }
}

interface ReadFile {
  readonly path: PathBytes;
  readonly signature: Signature;
}

/** Which of the files that one capture has read could be written to without a change of what they look like. */
export class UnseenWrites {
  readonly #mappings: Mappings;
  readonly #startedAt = Date.now();
  readonly #recent: ReadFile[] = [];
  #bytes = 0;
  #mapped: { readonly inodes: ReadonlySet<number> | undefined } | undefined;

  constructor(mappings: Mappings) {
    this.#mappings = mappings;
  }

  /** The files that a scan must report whatever they look like. */
  toReport(): ReadonlySet<number> {
    return (this.#mappings.timesMove === "never" ? this.#inodes() : undefined) ?? new Set();
  }

  add(path: PathBytes, signature: Signature): void {
    const isSettled =
      this.#mappings.timesMove === "never"
        ? this.#inodes()?.has(signature.inode) !== true
        : signature.changedAt < this.#startedAt - SETTLED_AFTER_MS;
    if (isSettled) return;
    this.#recent.push({ path, signature });
    this.#bytes += signature.size;
  }

  /** The files that the next capture has to read again. Costs some 0.2 ms for each running process where there are many. */
  toReadAgain(): readonly PathBytes[] {
    const isLittle = this.#recent.length <= MAX_FILES_READ_AGAIN && this.#bytes <= MAX_BYTES_READ_AGAIN;
    if (isLittle || this.#mappings.timesMove === "never") return this.#recent.map(({ path }) => path);
    const inodes = this.#inodes();
    if (inodes === undefined) return this.#latest();
    return this.#recent.filter(({ signature }) => inodes.has(signature.inode)).map(({ path }) => path);
  }

  /** Where nobody tells what is mapped: what changed last, as much of it as is read again each time. */
  #latest(): PathBytes[] {
    const latestFirst = this.#recent.toSorted((a, b) => b.signature.changedAt - a.signature.changedAt);
    let bytes = 0;
    return latestFirst
      .slice(0, MAX_FILES_READ_AGAIN)
      .filter(({ signature }) => {
        bytes += signature.size;
        return bytes <= MAX_BYTES_READ_AGAIN;
      })
      .map(({ path }) => path);
  }

  #inodes(): ReadonlySet<number> | undefined {
    this.#mapped ??= { inodes: this.#mappings.inodes() };
    return this.#mapped.inodes;
  }
}
