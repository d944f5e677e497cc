import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { errnoOf } from "../../../record/error.ts";
import type { ShellEnd } from "../../../timeline/calls.ts";
import { type CommandPlan, onlyLooks, planText } from "../../permissions/unasked/plan.ts";
import { firstCharacters, visible } from "../text.ts";
import { CappedText, KeptOutput } from "./kept-output.ts";
import {
  type Environment,
  endTree,
  isAlive,
  isGroup,
  type ProcessTree,
  shellEnvironment,
  shellIn,
} from "./process-tree.ts";
import { runPlan } from "./run-plan.ts";

/** Maximum number of characters of live output that is shown to a user. A user could not read more than this. */
const MAX_LIVE_CHARACTERS = 1_000_000;
/**
 * How long to wait for child processes that outlive their shell (`LINGER_MS`), and for output still in the pipe
 * (`DRAIN_MS`).
 */
const LINGER_MS = 200;
const DRAIN_MS = 2_000;

/** Merges standard error into standard output before any part of the command runs. */
const ONE_PIPE = "exec 2>&1; ";

/** Extracts the original command from the line that its shell was started with. */
export function asGiven(line: string): string {
  const [, command] = line.split(` -c ${ONE_PIPE}`, 2);
  return command ?? line;
}

export interface ShellStart {
  readonly command: string;
  readonly workspace: string;
  readonly environment: Environment;
  readonly mark: string;
  readonly keep: (bytes: Uint8Array) => Promise<string>;
  readonly onOutput: (text: string) => void;
  /**
   * Present if only the individual commands in the text were allowed. In that case, the plan runs instead of the text.
   */
  readonly plan?: CommandPlan | undefined;
  /** The reader of the output. The default is the model. */
  readonly reader?: "model" | "person" | undefined;
}

/** A command and all processes that it started, until the last of them has ended. */
export class ShellCommand {
  readonly command: string;
  /**
   * Resolves when the shell itself has ended and its output has been read. Its child processes may still be running.
   */
  readonly finished: Promise<ShellEnd>;
  readonly #outputs: readonly Readable[];
  /** The group is removed once none of its processes is alive, because another program may reuse the group's number. */
  #tree: ProcessTree;
  readonly #kept: KeptOutput;
  readonly #reader: "model" | "person";
  readonly #read: Promise<void>;
  #unread = new CappedText();
  #end: ShellEnd | undefined;
  #endedAt: number | undefined;
  #onOutput: ((text: string) => void) | undefined;
  #live = 0;
  #pipes: "open" | "closed" = "open";
  readonly #kill: () => void;
  #letGo: () => void = () => undefined;
  /** Resolves when the last chunk of output has been processed. Chunks from both pipes are processed one at a time. */
  #taking: Promise<void> = Promise.resolve();

  constructor(start: ShellStart) {
    this.command = start.command;
    this.#kept = new KeptOutput(start.keep);
    this.#reader = start.reader ?? "model";
    this.#onOutput = start.onOutput;
    const { outputs, exited, pid, kill } = launch(start);
    this.#outputs = outputs;
    this.#kill = kill;
    this.#tree = { mark: start.mark, ...(pid === undefined ? {} : { group: pid }) };
    if (pid !== undefined) this.#letGo = endWithUs(pid);
    this.#read = Promise.all(outputs.map(async (each) => this.#pump(each))).then(() => {
      this.#pipes = "closed";
    });
    this.finished = this.#finish(exited);
  }

  /** How the shell exited, or undefined while it is running. */
  get end(): ShellEnd | undefined {
    return this.#end;
  }

  /** When the last process exited, in milliseconds since 1970. Undefined while a process is running. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  /** Checks whether the command or one of its child processes is running. */
  isRunning(): boolean {
    return this.#end === undefined || this.#isTreeAlive();
  }

  /**
   * Checks whether a process outlives the shell, either in its process group or elsewhere with the output still open.
   */
  leavesBehind(): boolean {
    const { group } = this.#tree;
    if (group === undefined || (this.#pipes === "closed" && !isGroup(group))) return false;
    return this.#isTreeAlive();
  }

  /** Terminates all processes. Their output can still be read afterwards. */
  async stop(): Promise<void> {
    this.#kill();
    if (this.#tree.group !== undefined) await endTree(this.#tree);
    await Promise.race([this.#read, sleep(DRAIN_MS, undefined, { ref: false })]);
    // A process that cannot be terminated may keep the other end of the pipe open forever.
    for (const output of this.#outputs) output.destroy();
    // Nothing can terminate a process that hangs in the kernel, so do not wait for it.
    await Promise.race([this.finished, sleep(DRAIN_MS, undefined, { ref: false })]);
  }

  /** Stops live output, because the call that showed it has ended. */
  mute(): void {
    this.#onOutput = undefined;
  }

  /** Returns the output since the last call of this method, without its middle if it is long. */
  takeOutput(): string {
    const unread = this.#unread;
    this.#unread = new CappedText();
    if (this.#reader === "model") return unread.text((characters) => this.#kept.leftOutText(characters));
    let more = "";
    const text = unread.text((characters) => {
      more = `\n${this.#kept.moreText(characters)}`;
      return "[...]";
    });
    return more === "" ? text : text.trimEnd() + more;
  }

  #isTreeAlive(): boolean {
    if (this.#tree.group === undefined) return false;
    if (isAlive(this.#tree)) return true;
    this.#tree = { mark: this.#tree.mark };
    this.#letGo();
    return false;
  }

  async #finish(exited: Promise<ShellEnd>): Promise<ShellEnd> {
    const end = await exited;
    // Usually, all pipes close at this point. If a process outlives the shell and keeps a pipe open, wait a moment.
    for (const until = Date.now() + LINGER_MS; Date.now() < until; await sleep(LINGER_MS / 10)) {
      if (!this.leavesBehind()) break;
    }
    if (!this.leavesBehind()) this.#endedAt = Date.now();
    if (this.#endedAt !== undefined)
      await Promise.race([this.#read, sleep(DRAIN_MS, undefined, { ref: false })]);
    await this.#taking;
    this.#isTreeAlive();
    this.#end = end;
    return end;
  }

  async #pump(pipe: Readable): Promise<void> {
    const decoder = new TextDecoder();
    let held = "";
    try {
      for await (const bytes of pipe) {
        const text = held + decoder.decode(bytes, { stream: true });
        // A carriage return at the end may be half of a line break.
        held = text.endsWith("\r") ? "\r" : "";
        const whole = text.slice(0, text.length - held.length);
        this.#taking = this.#taking.then(async () => this.#take(bytes, whole));
        // The command has to wait while its output is saved, so memory use is bounded regardless of how much it prints.
        await this.#taking;
      }
    } catch {
      // The pipe was closed by `stop`, or never opened because the command did not start.
    }
    this.#emit(held + decoder.decode());
  }

  async #take(bytes: Uint8Array, text: string): Promise<void> {
    // The file is written first, so that it already exists when the model reads about it.
    await this.#kept.add(bytes);
    this.#emit(text);
  }

  #emit(decoded: string): void {
    const text = visible(decoded);
    this.#unread.add(text);
    if (this.#live >= MAX_LIVE_CHARACTERS || text === "") return;
    const shown = firstCharacters(text, MAX_LIVE_CHARACTERS - this.#live);
    this.#live += text.length;
    this.#onOutput?.(
      this.#live >= MAX_LIVE_CHARACTERS
        ? `${shown}\n[Further output is not shown while the command is running.]\n`
        : shown,
    );
  }
}

interface Launched {
  readonly outputs: readonly Readable[];
  readonly exited: Promise<ShellEnd>;
  /** The pid of the shell, which leads a process group. Absent if no shell was started. */
  readonly pid?: number | undefined;
  readonly kill: () => void;
}

function launch(start: ShellStart): Launched {
  const { plan } = start;
  if (plan === undefined) return launchShell(start, start.command);
  if (!onlyLooks(plan)) return launchShell(start, planText(plan));
  const { output, exited, kill } = runPlan(plan, start);
  return { outputs: [output], exited: exited.then((code) => ({ ended: "exited", code })), kill };
}

function launchShell({ workspace, environment, mark }: ShellStart, line: string): Launched {
  // One pipe for both outputs preserves their order. The other pipe receives only the shell's own errors.
  const child = spawn(shellIn(environment), ["-c", `${ONE_PIPE}${line}`], {
    cwd: workspace,
    env: shellEnvironment(environment, mark),
    stdio: ["ignore", "pipe", "pipe"],
    // The command gets its own process group, so that the whole group can be ended at once.
    detached: true,
  });
  const exited = new Promise<ShellEnd>((resolve) => {
    child.once("error", (error) => resolve({ ended: "not-started", why: error.message }));
    child.once("exit", (code, signal) =>
      resolve(signal === null ? { ended: "exited", code: code ?? 0 } : { ended: "signalled", signal }),
    );
  });
  return { outputs: [child.stdout, child.stderr], exited, pid: child.pid, kill: () => undefined };
}

const groups = new Set<number>();

/**
 * Kills a process group if this program exits and has no time to end the group properly. Returns a function that
 * cancels this. Call it once the group has ended, because the group's number may be reused.
 */
function endWithUs(group: number): () => void {
  if (groups.size === 0) process.once("exit", killAll);
  groups.add(group);
  return () => {
    groups.delete(group);
    if (groups.size === 0) process.off("exit", killAll);
  };
}

function killAll(): void {
  for (const group of groups) {
    try {
      process.kill(-group, "SIGKILL");
    } catch (error) {
      if (errnoOf(error) !== "ESRCH" && errnoOf(error) !== "EPERM") throw error;
    }
  }
}
