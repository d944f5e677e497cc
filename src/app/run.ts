import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { FilesOutcome } from "../machine/files/requests.ts";
import { type SessionContext, viewSession } from "../machine/open.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import type { Author } from "../record/entry.ts";
import {
  isWorldlineError,
  problemIn,
  type Remark,
  reasonFields,
  remark,
  remarkOf,
  WorldlineError,
} from "../record/error.ts";
import type { PathChange } from "../record/files.ts";
import type { SessionId, SnapshotId } from "../record/ids.ts";
import { seenChanges } from "../travel/plan-files.ts";
import { requireCheckpoint } from "../travel/rewind.ts";
import { type AppContext, type Interrupt, quietContext } from "./context.ts";
import { openFiles, patiently, whyNotCaptured } from "./files/files.ts";
import {
  type DescribedFiles,
  describeFiles,
  type FilesOptions,
  filesWork,
} from "./journeys/files-preview.ts";
import { systemCode } from "./places/home.ts";
import { rewindSession } from "./rewind.ts";
import { withHeld } from "./sessions/hold-session.ts";
import { ownSession } from "./sessions/own-session.ts";
import { provideSessionDeps } from "./sessions/store.ts";
import {
  closeFiles,
  FilesHolder,
  Keeper,
  type KeeperOptions,
  leftOutFolders,
  type Pace,
  watchFiles,
} from "./watch.ts";

const NAME = "worldline run";

/** The checkpoint before or after a command, with the reason if not all of its files were captured. */
export interface Bracket extends Partial<Remark> {
  readonly number?: number;
  readonly snapshot?: SnapshotId;
  /** The position at the end of the log right after this checkpoint was created. */
  readonly seen: number;
}

export interface RunContext {
  readonly context: AppContext;
  readonly deps: SessionContext;
  readonly files: WorkspaceFiles;
  readonly session: SessionId;
}

export interface RunOptions {
  readonly line: CommandLine;
  /** "strict": the command does not run without a checkpoint of all files. */
  readonly strict: "strict" | "lenient";
  readonly report: (event: RunEvent) => void;
  /** Decides what happens to the files that the command changed. Resolves with the outcome if they were restored. */
  readonly conclude: (run: RunContext, change: RunChange) => Promise<FilesOutcome | undefined>;
}

export type RunEvent =
  /**
   * "unprotected" and "partly-protected": the command runs, although none or only some of its changes can be undone.
   */
  | ({ readonly code: "unprotected" | "partly-protected" | "not-captured-after" } & Remark)
  | { readonly code: "protected"; readonly checkpoint: number };

export interface RunChange {
  /** The checkpoint before the command. */
  readonly before: number;
  readonly changes: readonly PathChange[];
}

export interface RunResult {
  readonly ran: Ran;
  /** The checkpoints and changes; absent if files are not captured or the command was not started. */
  readonly captured?: {
    readonly session: SessionId;
    readonly before: Bracket;
    readonly after: Bracket;
    /** The changes made by the command; undefined if one of the two checkpoints has no files. */
    readonly changes: readonly PathChange[] | undefined;
    readonly outcome: FilesOutcome | undefined;
  };
}

/** Runs a command between two checkpoints of the workspace's files, and makes further checkpoints while it is running. */
export async function runBetweenCheckpoints(context: AppContext, options: RunOptions): Promise<RunResult> {
  const workspaceFiles = await openFiles(context, await context.workspace());
  if (workspaceFiles.state !== "on") {
    reportUnprotected(options, "unprotected", remarkOf(workspaceFiles.error));
    return { ran: await runCommand(context, options.line) };
  }
  const holder = new FilesHolder(async () => workspaceFiles.files);
  const files = await holder.get();
  try {
    const deps = await provideSessionDeps(context);
    const own = await ownSession(context, deps, NAME);
    if (own.workspace !== files.folder) {
      throw new WorldlineError("session-of-other-workspace", { workspace: own.workspace });
    }
    return await runBetween({ context, deps, files, session: own.id }, options);
  } finally {
    // A failed write to the store is only reported, because this program must exit with the command's exit code.
    await closeFiles(context, holder);
  }
}

async function runBetween(run: RunContext, options: RunOptions): Promise<RunResult> {
  const { context, session } = run;
  const before = await bracket(run, "outside");
  reportBefore(options, before);
  const beside = await watchedBeside(run, before);
  let ran: Ran;
  try {
    ran = await runCommand(context, options.line);
  } finally {
    await beside?.end();
  }
  if (ran.state === "not-started") return { ran };
  const after = await bracket(run, "timeline");
  if (after.snapshot === undefined) options.report({ code: "not-captured-after", ...whyOf(after) });
  const changes = await changesBetween(run, before, after);
  const outcome =
    changes === undefined || before.number === undefined
      ? undefined
      : await options.conclude(run, { before: before.number, changes });
  return { ran, captured: { session, before, after, changes, outcome } };
}

function whyOf({ why, ...known }: Bracket): Remark {
  return why === undefined ? remark("capture-never-made") : { why, ...reasonFields(known) };
}

function reportBefore(options: RunOptions, before: Bracket): void {
  const { number, snapshot, why } = before;
  if (snapshot === undefined || number === undefined) {
    reportUnprotected(options, "unprotected", whyOf(before));
    return;
  }
  if (why !== undefined) reportUnprotected(options, "partly-protected", whyOf(before));
  options.report({ code: "protected", checkpoint: number });
}

function reportUnprotected(
  { strict, report }: RunOptions,
  code: "unprotected" | "partly-protected",
  why: Remark,
): void {
  if (strict === "strict") {
    throw new WorldlineError(code === "unprotected" ? "command-unprotected" : "command-partly-protected", {
      why: problemIn(why),
    });
  }
  report({ code, ...why });
}

async function watchedBeside(run: RunContext, { snapshot, seen }: Bracket): Promise<Beside | undefined> {
  if (snapshot === undefined) return undefined;
  const { values } = await run.context.settings();
  const pace = { quietMs: values["watch.quietMs"], maxMs: values["watch.maxMs"] };
  return watchBeside({ ...run, seen, name: NAME }, { pace, snapshot });
}

async function changesBetween(
  { files }: RunContext,
  before: Bracket,
  after: Bracket,
): Promise<readonly PathChange[] | undefined> {
  if (before.snapshot === undefined || after.snapshot === undefined) return undefined;
  return seenChanges(await files.compare(before.snapshot, after.snapshot));
}

/**
 * Makes a checkpoint of all files. Returns a failure instead of throwing it, because the user may want to run the
 * command anyway.
 */
async function bracket({ context, deps, files, session: id }: RunContext, author: Author): Promise<Bracket> {
  try {
    return await withHeld({ context, deps, files, session: id, name: NAME }, async (session) => {
      const number = await patiently(context, (request) =>
        session.checkpoint(undefined, { author, ...request }),
      );
      const at = await session.filesAt(number);
      const seen = session.outline.nextSeq;
      if (at.state !== "complete" && at.state !== "partial") {
        return { number, seen, ...whyNotCaptured(at) };
      }
      return { number, seen, snapshot: at.snapshot, ...whyNotCaptured(at) };
    });
  } catch (error) {
    if (!isWorldlineError(error) || error.code === "CANCELLED") throw error;
    return { ...remarkOf(error), seen: 0 };
  }
}

/**
 * Rewinds the files to their state before the command, using Worldline's own snapshots. If the session has a
 * conversation, the conversation is left as it is.
 */
export async function rewindRun(
  { context, deps, files, session }: RunContext,
  before: RunChange["before"],
  { counted, decide }: RunRewind,
): Promise<FilesOutcome> {
  const view = await viewSession(deps.store, session);
  const row = requireCheckpoint(view.outline, before);
  const work = filesWork(context, { files, mode: view.header.mode }, { counted });
  const rewind = { view, row, workspaceFiles: { state: "on", files }, scope: "files" } as const;
  const { result } = await rewindSession(context, rewind, {
    hold: { deps, name: NAME },
    work,
    decide: async (preview) => {
      const look = (await preview()).files;
      if (look !== undefined) await decide(await describeFiles(context, work, look));
      return { chosen: look?.chosen };
    },
  });
  return result.files;
}

interface RunRewind extends Pick<FilesOptions, "counted"> {
  /** Shows the effect. If this function throws, nothing is changed. */
  readonly decide: (files: DescribedFiles) => Promise<void>;
}

interface Beside {
  /** Stops watching. Resolves with the number of checkpoints, once all writes have finished. */
  end(): Promise<number>;
}

/**
 * Makes checkpoints while a command is running, as `watch` does. Reports nothing, because the command is using the terminal.
 */
function watchBeside(
  parts: Omit<KeeperOptions, "author" | "files"> & { readonly files: WorkspaceFiles },
  { pace, snapshot }: { readonly pace: Pace; readonly snapshot: SnapshotId },
): Beside {
  const { files } = parts;
  const ending = new AbortController();
  const keeper = new Keeper({
    ...parts,
    files: { get: async () => files },
    context: quietContext(parts.context),
    author: "timeline",
  });
  let made = 0;
  const keep = async (dirty: Parameters<Keeper["keep"]>[0]): Promise<"done" | "again"> => {
    try {
      const kept = await keeper.keep(dirty);
      if (kept !== undefined) made += 1;
      return "done";
    } catch (error) {
      // The checkpoint after the command will report what cannot be captured.
      if (isWorldlineError(error)) return "again";
      throw error;
    }
  };
  const watching = (async () => {
    await watchFiles({
      folder: files.folder,
      ignored: await leftOutFolders(files, snapshot),
      pace,
      // Covers changes that the command made before the watcher started.
      atFirst: "look",
      onRest: keep,
      signal: ending.signal,
    });
  })();
  // Prevents an unhandled rejection until `end` is called, which throws the error.
  watching.catch(() => undefined);
  return {
    async end() {
      ending.abort();
      await watching;
      return made;
    },
  };
}

/** How the command ended. */
export type Ran =
  | { readonly state: "ended"; readonly code: number; readonly signal: NodeJS.Signals | null }
  | { readonly state: "not-started"; readonly code: number; readonly error: WorldlineError };

export interface CommandLine {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly cwd: string;
  /** "terminal": the command was started from a terminal, which also sends Ctrl-C to it. */
  readonly from: "terminal" | "program";
}

/**
 * Runs a command directly on the user's terminal, without a shell. Only the command handles Ctrl-C. This program keeps
 * running so that it can make the checkpoint afterwards.
 */
async function runCommand({ surroundings }: AppContext, line: CommandLine): Promise<Ran> {
  const { environment, onInterrupt } = surroundings;
  const interrupts = interruptsFor(line, onInterrupt);
  try {
    const child = spawn(line.command, line.arguments, {
      cwd: line.cwd,
      env: { ...environment },
      stdio: "inherit",
    });
    interrupts.handTo(child);
    return await new Promise<Ran>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code, signal) => resolve({ state: "ended", code: exitOf(code, signal), signal }));
    });
  } catch (error) {
    // Node emits the most common errors, and throws the others, such as ENOTDIR.
    if (error instanceof Error) return notStarted(line, error);
    throw error;
  } finally {
    interrupts.release();
  }
}

interface Interrupts {
  handTo(child: ChildProcess): void;
  release(): void;
}

/** Starts listening before the command is started, because a signal may arrive in the meantime. */
function interruptsFor(
  { from }: CommandLine,
  onInterrupt: AppContext["surroundings"]["onInterrupt"],
): Interrupts {
  const early: Interrupt[] = [];
  let pass = (signal: Interrupt): unknown => early.push(signal);
  const release = onInterrupt((signal) => {
    // The terminal has already sent Ctrl-C to both this program and the command. A second Ctrl-C might make the command
    // quit immediately.
    if (signal !== "SIGINT" || from === "program") pass(signal);
  });
  return {
    handTo(child) {
      pass = (signal) => child.kill(signal);
      for (const signal of early) pass(signal);
    },
    release,
  };
}

function notStarted({ command }: CommandLine, cause: Error): Ran {
  const isMissing = systemCode(cause) === "ENOENT";
  const why = isMissing
    ? "missing"
    : systemCode(cause) === "EACCES"
      ? "forbidden"
      : { system: cause.message };
  const error = new WorldlineError("command-not-started", { command, why }, { cause });
  return { state: "not-started", code: isMissing ? NOT_FOUND : NOT_STARTED, error };
}

const BY_SIGNAL = 128;
const NOT_FOUND = 127;
const NOT_STARTED = 126;

/** Returns the exit code as shells report it: 128 plus the signal's number if a signal ended the command. */
export function exitOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? BY_SIGNAL + (signal === null ? 0 : (constants.signals[signal] ?? 0));
}
