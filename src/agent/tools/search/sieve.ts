import { resolve } from "node:path";
import type { Hides } from "../../permissions/hidden.ts";

const LEFT_OUT = "[Some files were left out: a rule of the person denies looking at them]";

export interface SieveGround {
  /** What paths are relative to. */
  readonly folder: string;
  readonly hides: Hides | undefined;
  /** How every path begins; what does not is the rest of a name with a line break in it. */
  readonly start?: string;
}

/** Keeps what may be shown of ripgrep's records, where rules deny looking at some files. */
export class Sieve {
  readonly #ground: SieveGround;
  #last: { readonly path: string; readonly fate: "kept" | "left-out" } = { path: "", fate: "kept" };
  #notes: readonly string[] = [];

  constructor(ground: SieveGround) {
    this.#ground = ground;
  }

  /** What the answer ends with. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** So that it can be told where a path ends. */
  get arguments(): readonly string[] {
    return this.#ground.hides === undefined ? [] : ["--null"];
  }

  keepsPath(path: string): boolean {
    const { folder, hides, start = "" } = this.#ground;
    if (hides === undefined) return true;
    if (path !== this.#last.path) {
      const isHidden = !path.startsWith(start) || hides(resolve(folder, path));
      this.#last = { path, fate: isHidden ? "left-out" : "kept" };
      if (isHidden) this.#notes = [LEFT_OUT];
    }
    return this.#last.fate === "kept";
  }

  /** A line whose path ends with a NUL. One without belongs to the file before it. */
  keepsLine(line: string): boolean {
    const end = line.indexOf("\0");
    return end === -1 ? this.#last.fate === "kept" : this.keepsPath(line.slice(0, end));
  }

  /** The line as ripgrep prints it without NULs. Only its number tells a line around a match from a match. */
  plain(line: string, numbers: "shown" | "none"): string {
    const end = line.indexOf("\0");
    if (end === -1) return line;
    const rest = line.slice(end + 1);
    const mark = numbers === "shown" && /^\d+-/u.test(rest) ? "-" : ":";
    return line.slice(0, end) + mark + rest;
  }
}
