import { type ChildProcess, spawn } from "node:child_process";
import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Hides } from "../permissions/matching.ts";
import type { Environment } from "./bash/process-tree.ts";
import { faultOf } from "./files.ts";

const MAX_STDERR_CHARACTERS = 2_000;
const NOT_INSTALLED =
  "ripgrep is not installed. Use `find` and `grep` in Bash. To install ripgrep, the user can reinstall Worldline with its optional dependencies.";

export interface RipgrepRun {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Text for ripgrep's standard input, which is empty by default. */
  readonly typed?: string;
  /** The separator between records. The default is a line break. */
  readonly separator?: "\n" | "\0";
  /** Called for each record, to decide whether to keep it. Records that are not kept use no memory. */
  readonly onRecord: (record: string) => "more" | "skip" | "enough";
}

export interface RipgrepAnswer {
  readonly records: readonly string[];
  /** "cut": the search was stopped, so there may be more results. */
  readonly end: "whole" | "cut" | "interrupted";
  /** Why the search failed, for example an invalid expression. */
  readonly fault?: string;
  /** Errors about files that could not be searched. The search may still have results. */
  readonly complaints: string;
}

/** Runs ripgrep without a shell. It is not an error if nothing is found. */
export async function ripgrep(run: RipgrepRun): Promise<RipgrepAnswer> {
  const { rgPath } = await import("@vscode/ripgrep").catch(() => ({ rgPath: undefined }));
  if (rgPath === undefined) return nothing(NOT_INSTALLED);
  let child: ChildProcess;
  try {
    child = start(rgPath, run);
  } catch (error) {
    // The system rejects arguments that are too long.
    return nothing(`ripgrep could not be started: ${faultOf(error).why}`);
  }
  const stop = (): void => void child.kill("SIGKILL");
  run.signal.addEventListener("abort", stop, { once: true });
  if (run.signal.aborted) stop();
  const ended = endOf(child);
  const taken = await take(child.stdout, run);
  if (taken.end === "cut") stop();
  const { code, complaints } = await ended;
  run.signal.removeEventListener("abort", stop);
  if (run.signal.aborted) return { ...taken, end: "interrupted", complaints };
  if (typeof code === "string") return nothing(`ripgrep could not be started: ${code}`);
  const isFault = code === 2 && taken.records.length === 0 && complaints !== "";
  return { ...taken, complaints, ...(isFault ? { fault: complaints } : {}) };
}

function nothing(fault: string): RipgrepAnswer {
  return { records: [], end: "whole", complaints: "", fault };
}

function start(program: string, { args, cwd, environment, typed }: RipgrepRun): ChildProcess {
  const child = spawn(program, ["--no-config", "--color=never", ...args], {
    cwd,
    ...(environment === undefined ? {} : { env: { ...environment } }),
    stdio: [typed === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  // ripgrep may exit before it has read all of its input.
  child.stdin?.on("error", () => undefined).end(typed);
  return child;
}

/** Returns ripgrep's exit code, or the reason that it did not start, and its error output. */
async function endOf(
  child: ChildProcess,
): Promise<{ readonly code: number | string; readonly complaints: string }> {
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (complaints.length < MAX_STDERR_CHARACTERS) complaints += text;
  });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: faultOf(error).why, complaints }));
    child.once("close", (code) => resolve({ code: code ?? 0, complaints: complaints.trim() }));
  });
}

async function take(
  pipe: AsyncIterable<Buffer> | null,
  run: RipgrepRun,
): Promise<{ readonly records: readonly string[]; readonly end: "whole" | "cut" }> {
  const records: string[] = [];
  try {
    for await (const record of recordsIn(pipe ?? [], run.separator ?? "\n")) {
      const what = run.onRecord(record);
      if (what === "enough") return { records, end: "cut" };
      if (what === "more") records.push(record);
    }
  } catch {
    // ripgrep did not start, so its pipe never opened. `endOf` returns the reason.
  }
  return { records, end: "whole" };
}

/** Returns a note about files that could not be searched, for the end of a result. */
export function complaintsText({ complaints }: RipgrepAnswer): string[] {
  if (complaints === "") return [];
  const lines = complaints.split("\n").filter((line) => line.startsWith("rg: "));
  return lines.length === 0 ? [] : [`[Some files could not be searched: ${lines.slice(0, 3).join("; ")}]`];
}

async function* recordsIn(
  pipe: AsyncIterable<Buffer> | Iterable<Buffer>,
  separator: string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of pipe) {
    const pieces = (rest + decoder.decode(bytes, { stream: true })).split(separator);
    rest = pieces.pop() ?? "";
    yield* pieces;
  }
  if (rest !== "") yield rest;
}

export interface SearchOptions {
  readonly workspace: string;
  readonly environment: Environment;
  /** The deny rules. Rules about paths also filter the results. By default, there are none. */
  readonly denied?: readonly string[];
}

/**
 * ripgrep options for walking folders: search hidden files, apply ignore rules even outside git repositories, and skip
 * the `.git` folder.
 */
export const WALKING: readonly string[] = ["--hidden", "--no-require-git", "--glob=!.git"];

const LEFT_OUT = "[Some files were omitted, because a rule denies reading them]";

export interface SieveOptions {
  /** The folder that paths are relative to. */
  readonly folder: string;
  readonly hides: Hides | undefined;
  /** The prefix of every path. A line without this prefix continues a name that contains a line break. */
  readonly start?: string;
}

/** Filters ripgrep's records according to rules that deny reading some files. */
export class Sieve {
  readonly #options: SieveOptions;
  #last: { readonly path: string; readonly fate: "kept" | "left-out" } = { path: "", fate: "kept" };
  #notes: readonly string[] = [];

  constructor(options: SieveOptions) {
    this.#options = options;
  }

  /** Notes to add at the end of the result. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Arguments that make ripgrep mark the end of each path. */
  get arguments(): readonly string[] {
    return this.#options.hides === undefined ? [] : ["--null"];
  }

  keepsPath(path: string): boolean {
    const { folder, hides, start = "" } = this.#options;
    if (hides === undefined) return true;
    if (path !== this.#last.path) {
      const isHidden = !path.startsWith(start) || hides(resolve(folder, path));
      this.#last = { path, fate: isHidden ? "left-out" : "kept" };
      if (isHidden) this.#notes = [LEFT_OUT];
    }
    return this.#last.fate === "kept";
  }

  /**
   * Checks whether to keep a line. A NUL marks the end of the path in a line. A line without a NUL belongs to the same
   * file as the previous line.
   */
  keepsLine(line: string): boolean {
    const end = line.indexOf("\0");
    return end === -1 ? this.#last.fate === "kept" : this.keepsPath(line.slice(0, end));
  }

  /**
   * Returns the line as ripgrep would print it without NULs. Only the character after the line number distinguishes
   * context lines from matches.
   */
  plain(line: string, numbers: "shown" | "none"): string {
    const end = line.indexOf("\0");
    if (end === -1) return line;
    const rest = line.slice(end + 1);
    const mark = numbers === "shown" && /^\d+-/u.test(rest) ? "-" : ":";
    return line.slice(0, end) + mark + rest;
  }
}

const AT_ONCE = 64;

/** Sorts paths by the time of their last change, newest first, and then by name. */
export async function newestFirst(folder: string, paths: readonly string[]): Promise<string[]> {
  const dated: { readonly path: string; readonly at: number }[] = [];
  for (let index = 0; index < paths.length; index += AT_ONCE) {
    const some = paths.slice(index, index + AT_ONCE);
    dated.push(
      ...(await Promise.all(
        some.map(async (path) => ({ path, at: await changedAt(resolve(folder, path)) })),
      )),
    );
  }
  return dated
    .sort((one, other) => other.at - one.at || (one.path < other.path ? -1 : 1))
    .map(({ path }) => path);
}

async function changedAt(path: string): Promise<number> {
  try {
    return (await lstat(path)).mtimeMs;
  } catch {
    // The file has been removed since it was found, or its name is not UTF-8.
    return 0;
  }
}
