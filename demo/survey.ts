import { createHash } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from "node:fs";
import { setImmediate } from "node:timers/promises";
import { systemCode } from "../src/app/places/home.ts";
import { type PathBytes, pathIn } from "../src/record/files.ts";

/** The state of a path: its kind, full mode, and the sha256 of its content or the target of a link. */
export interface Seen {
  readonly kind: "file" | "folder" | "link" | "special";
  readonly mode: number;
  readonly size: number;
  /** Empty for folders. */
  readonly content: string;
}

export type Survey = ReadonlyMap<PathBytes, Seen>;

interface Hashed {
  readonly signature: string;
  readonly content: string;
}

const PIECE_BYTES = 2 ** 20;
const TURN = 500;
/** The time after a change within which a second change may leave a file's timestamps unchanged. */
const YOUNG_MS = 100;
const MODE_BITS = 0o7777n;

/**
 * Reads every path of a folder, including `.git`. It does not share any code with snapshots, so that a bug cannot
 * affect both in the same way.
 */
export class Surveyor {
  readonly #root: string;
  readonly #known = new Map<PathBytes, Hashed>();
  readonly #piece = Buffer.allocUnsafe(PIECE_BYTES);

  constructor(root: string) {
    this.#root = root;
  }

  async survey(): Promise<Survey> {
    const seen = new Map<PathBytes, Seen>();
    const waiting: PathBytes[] = [""];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const one = this.#look(path);
      seen.set(path, one);
      if (one.kind === "folder") waiting.push(...this.#namesIn(path).map((name) => pathIn(path, name)));
      // Yields to the event loop from time to time; otherwise no signal could stop the survey.
      if (seen.size % TURN === 0) await setImmediate();
    }
    return seen;
  }

  #look(path: PathBytes): Seen {
    const stat = lstatSync(this.#place(path), { bigint: true });
    const known = { mode: Number(stat.mode & MODE_BITS), size: Number(stat.size) };
    if (stat.isDirectory()) return { kind: "folder", ...known, size: 0, content: "" };
    if (stat.isSymbolicLink()) {
      const target = readlinkSync(this.#place(path), { encoding: "buffer" }).toString("latin1");
      // The mode of a link depends on the system.
      return { kind: "link", mode: 0, size: 0, content: target };
    }
    if (!stat.isFile()) return { kind: "special", ...known, size: 0, content: "" };
    return { kind: "file", ...known, content: this.#contentOf(path, stat) };
  }

  #contentOf(path: PathBytes, stat: BigIntStats): string {
    const signature = [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(" ");
    const known = this.#known.get(path);
    if (known?.signature === signature) return known.content;
    const content = this.#hash(path);
    const isYoung = Date.now() - Number(stat.ctimeMs) < YOUNG_MS;
    if (isYoung) this.#known.delete(path);
    else this.#known.set(path, { signature, content });
    return content;
  }

  #hash(path: PathBytes): string {
    try {
      const file = openSync(this.#place(path), constants.O_RDONLY | constants.O_NOFOLLOW);
      try {
        const hash = createHash("sha256");
        for (let length = 1; length > 0; ) {
          length = readSync(file, this.#piece);
          hash.update(this.#piece.subarray(0, length));
        }
        return hash.digest("hex");
      } finally {
        closeSync(file);
      }
    } catch (error) {
      return `unreadable (${systemCode(error) ?? String(error)})`;
    }
  }

  #namesIn(path: PathBytes): PathBytes[] {
    try {
      return readdirSync(this.#place(path), { encoding: "latin1" });
    } catch {
      // The contents of this folder are then missing from both surveys, but its mode is still compared.
      return [];
    }
  }

  #place(path: PathBytes): Buffer {
    return Buffer.concat([Buffer.from(this.#root), Buffer.from(path === "" ? "" : `/${path}`, "latin1")]);
  }
}

/** A path whose state differs from the expected state. */
export interface Difference {
  readonly path: PathBytes;
  readonly wanted: Seen | undefined;
  readonly found: Seen | undefined;
}

export function differences(wanted: Survey, found: Survey): readonly Difference[] {
  const paths = new Set([...wanted.keys(), ...found.keys()]);
  return [...paths]
    .map((path) => ({ path, wanted: wanted.get(path), found: found.get(path) }))
    .filter((each) => !isSame(each.wanted, each.found))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function isSame(a: Seen | undefined, b: Seen | undefined): boolean {
  return a?.kind === b?.kind && a?.mode === b?.mode && a?.content === b?.content;
}
