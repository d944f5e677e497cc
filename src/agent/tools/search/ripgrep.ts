import { type ChildProcess, spawn } from "node:child_process";
import { faultText } from "../files/look.ts";

const MOST_COMPLAINTS = 2_000;
const NOT_INSTALLED =
  "ripgrep is not installed for this system. Use `find` and `grep` in Bash; the person may reinstall Worldline with its optional dependencies";

export interface RipgrepRun {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Its standard input; by default it has none. */
  readonly typed?: string;
  /** What ends a record, by default a line break. */
  readonly separator?: "\n" | "\0";
  /** Called with each record; one that is not kept does not cost memory. */
  readonly onRecord: (record: string) => "more" | "skip" | "enough";
}

export interface RipgrepAnswer {
  readonly records: readonly string[];
  /** "cut": there may be more, nobody asked for it. */
  readonly end: "whole" | "cut" | "interrupted";
  /** Why there is nothing: a bad expression, for example. */
  readonly fault?: string;
  /** What it could not look at, while it found other things. */
  readonly complaints: string;
}

/** Runs ripgrep, without a shell. That nothing is found is an answer like any other. */
export async function ripgrep(run: RipgrepRun): Promise<RipgrepAnswer> {
  const { rgPath } = await import("@vscode/ripgrep").catch(() => ({ rgPath: undefined }));
  if (rgPath === undefined) return nothing(NOT_INSTALLED);
  let child: ChildProcess;
  try {
    child = start(rgPath, run);
  } catch (error) {
    // Arguments that are too long.
    return nothing(`ripgrep could not be started: ${faultText(error)}`);
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
  // It may end before it has read everything, and need not.
  child.stdin?.on("error", () => undefined).end(typed);
  return child;
}

/** Its exit code, or why it did not start, and what it complained of. */
async function endOf(
  child: ChildProcess,
): Promise<{ readonly code: number | string; readonly complaints: string }> {
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (complaints.length < MOST_COMPLAINTS) complaints += text;
  });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: faultText(error), complaints }));
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
    // It did not start, and its pipe never opened: its end says why.
  }
  return { records, end: "whole" };
}

/** What could not be looked at, for the end of an answer. */
export function complaintsText({ complaints }: RipgrepAnswer): string[] {
  if (complaints === "") return [];
  const lines = complaints.split("\n").filter((line) => line.startsWith("rg: "));
  return lines.length === 0 ? [] : [`[Not everything could be looked at: ${lines.slice(0, 3).join("; ")}]`];
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
