import { spawnSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import fc from "fast-check";
import { errnoOf } from "../../../src/record/error.ts";
import { folderOf, type PathBytes, pathIn, pathOfText } from "../../../src/record/files.ts";
import { bytesOf } from "./independent-walk.ts";

/** One change to a workspace. A change that is impossible at its path is skipped. */
export type Damage =
  | { readonly do: "write"; readonly path: PathBytes; readonly text: string; readonly stamp: "new" | "old" }
  | { readonly do: "rules"; readonly path: PathBytes; readonly text: string }
  | { readonly do: "folder" | "remove" | "fill" | "fifo"; readonly path: PathBytes }
  | { readonly do: "mode"; readonly path: PathBytes; readonly mode: number }
  | { readonly do: "link"; readonly path: PathBytes; readonly target: string }
  | { readonly do: "hard-link" | "move"; readonly path: PathBytes; readonly to: PathBytes };

/** Low enough for small trees to exceed them. */
export const LOW_LIMITS = { maxFileBytes: 500, maxIgnoredFiles: 4, maxIgnoredBytes: 1_000 } as const;

const NAMES: readonly PathBytes[] = [
  "a",
  "b",
  "d",
  "-rf",
  "sp ace ",
  "new\nline",
  "\xff\xfe",
  pathOfText("größe 🌍"),
  "n".repeat(255),
  "ign",
  "node_modules",
  ".git",
  "..a",
];
const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "b", "d", "ign") },
  { weight: 1, arbitrary: fc.constantFrom(...NAMES) },
);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
/** Mostly equal lengths, so that an edit can leave the size unchanged; one text is over the limit. */
const text = fc.constantFrom("one", "two", "six", "", "three", `${"x".repeat(600)}`, "z".repeat(400));
const rules = fc.constantFrom("ign\n", "ign/\n", "", "*\n!a\n", "/d\n", "d/a\n", "\xff\n!ign\n");
/** Only root can read files with these modes; other tests cover unreadable files. */
const CLOSED = process.getuid?.() === 0 ? [0o000, 0o400, 0o100] : [];
const mode = fc.constantFrom(0o644 | 0o111, 0o755, 0o700, 0o4755, 0o2755, 0o1777, ...CLOSED);
const target = fc.constantFrom("a", "../outside", "/nonexistent", "d/b", ".", "\xff\n");

export const damage: fc.Arbitrary<Damage> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      path,
      text,
      stamp: fc.constantFrom("new" as const, "old" as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom("folder", "remove", "remove", "fill", "fifo"), path }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("mode" as const), path, mode }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("link" as const), path, target }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("hard-link" as const, "move" as const), path, to: path }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("rules" as const),
      path: fc.oneof(fc.constant(""), name).map((folder) => pathIn(folder, ".gitignore")),
      text: rules,
    }),
  },
);

/** Works on bytes and never follows links, so it never leaves the workspace. */
export function inflict(root: string, each: Damage): void {
  try {
    inflictOrThrow(new Hand(root), each);
  } catch (error) {
    // Something else exists at the path, so the change is skipped.
    if (errnoOf(error) === undefined) throw error;
  }
}

function inflictOrThrow(hand: Hand, each: Damage): void {
  switch (each.do) {
    case "write":
      hand.write(each.path, each.text, each.stamp);
      break;
    case "rules":
      hand.write(each.path, each.text, "new");
      break;
    case "folder":
      hand.folder(each.path);
      break;
    case "remove":
      hand.remove(each.path);
      break;
    case "fill":
      hand.fill(each.path);
      break;
    case "fifo":
      hand.fifo(each.path);
      break;
    case "mode":
      hand.mode(each.path, each.mode);
      break;
    case "link":
      hand.clear(each.path);
      symlinkSync(bytesOf(each.target), hand.at(each.path));
      break;
    case "hard-link":
      hand.clear(each.to);
      linkSync(hand.at(each.path), hand.at(each.to));
      break;
    case "move":
      hand.clear(each.to);
      renameSync(hand.at(each.path), hand.at(each.to));
      break;
    default:
      each satisfies never;
  }
}

class Hand {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Never goes through a link, which may lead out of the workspace. */
  at(path: PathBytes): Buffer {
    for (let above = folderOf(path); above !== ""; above = folderOf(above)) {
      const place = bytesOf(`${this.#root}/${above}`);
      if (!lstatSync(place).isDirectory()) throw Object.assign(new Error("in the way"), { code: "ENOTDIR" });
    }
    return bytesOf(`${this.#root}/${path}`);
  }

  write(path: PathBytes, content: string, stamp: "new" | "old"): void {
    this.#clearOtherKind(path);
    const place = this.at(path);
    const before = lstatSync(place, { throwIfNoEntry: false });
    writeFileSync(place, content, "latin1");
    if (stamp === "old" && before !== undefined) utimesSync(place, before.atime, before.mtime);
  }

  folder(path: PathBytes): void {
    this.#makeAbove(path);
    if (lstatSync(this.at(path), { throwIfNoEntry: false })?.isDirectory() !== true) {
      this.clear(path);
      mkdirSync(this.at(path));
    }
  }

  /** Puts more into an ignored folder than the limits allow. */
  fill(path: PathBytes): void {
    this.folder(path);
    for (let number = 0; number < 6; number += 1) this.write(pathIn(path, `f${number}`), "f", "new");
  }

  remove(path: PathBytes): void {
    const place = this.at(path);
    if (!lstatSync(place).isDirectory()) {
      unlinkSync(place);
      return;
    }
    for (const each of readdirSync(place, { encoding: "latin1" })) this.remove(pathIn(path, each));
    rmdirSync(place);
  }

  mode(path: PathBytes, bits: number): void {
    const place = this.at(path);
    if (!lstatSync(place).isSymbolicLink()) chmodSync(place, bits);
  }

  /** mkfifo is a program, and Node passes program arguments as UTF-8. */
  fifo(path: PathBytes): void {
    if (/[^ -~]/.test(path)) return;
    this.clear(path);
    this.at(path);
    spawnSync("mkfifo", ["--", `${this.#root}/${path}`]);
  }

  clear(path: PathBytes): void {
    this.#makeAbove(path);
    if (lstatSync(this.at(path), { throwIfNoEntry: false }) !== undefined) this.remove(path);
  }

  #clearOtherKind(path: PathBytes): void {
    this.#makeAbove(path);
    const stat = lstatSync(this.at(path), { throwIfNoEntry: false });
    if (stat !== undefined && !stat.isFile()) this.remove(path);
  }

  #makeAbove(path: PathBytes): void {
    const above = folderOf(path);
    if (above !== "") this.folder(above);
  }
}
