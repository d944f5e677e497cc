import { randomBytes } from "node:crypto";
import { oneLine } from "../text.ts";
import { commandLines, endTree } from "./process-tree.ts";
import { asGiven, type ShellCommand } from "./shell-command.ts";

/** An agent's commands that continue to run after the call that started them. */
export class BackgroundCommands {
  readonly #byId = new Map<string, ShellCommand>();
  readonly #token: string;
  #marks = 0;

  /**
   * `owner` is a unique name that identifies the commands even after a crash. The owner `a` can also terminate the
   * commands of `a.b`.
   */
  constructor(owner: string = randomBytes(12).toString("hex")) {
    this.#token = `worldline-${owner}`;
  }

  /** Returns a mark for a new command's environment. `close` uses it to find processes that left the process group. */
  nextMark(): string {
    this.#marks += 1;
    return `${this.#token}-${this.#marks}.`;
  }

  /** Adds a running command. Returns the id that the model can use to refer to the command. */
  add(command: ShellCommand): string {
    const id = `bash_${this.#byId.size + 1}`;
    command.mute();
    this.#byId.set(id, command);
    return id;
  }

  find(id: string): ShellCommand | undefined {
    return this.#byId.get(id);
  }

  ids(): readonly string[] {
    return [...this.#byId.keys()];
  }

  /** Returns the running commands, one line each. */
  running(): string[] {
    return [...this.#byId].flatMap(([id, command]) =>
      command.isRunning() ? [`${id}: ${oneLine(command.command)}`] : [],
    );
  }

  /**
   * Returns the commands that an earlier run with the same owner left running, one line each. Does not terminate them.
   */
  leftovers(): readonly string[] {
    return commandLines({ mark: this.#token }).map(asGiven);
  }

  /**
   * Terminates the commands that an earlier run with the same owner left running when it was killed. Returns their
   * command lines.
   */
  async endLeftovers(): Promise<readonly string[]> {
    const left = this.leftovers();
    if (left.length > 0) await endTree({ mark: this.#token });
    return left;
  }

  /** Terminates all commands, and all other processes that this agent's commands have left running. */
  async close(): Promise<void> {
    await Promise.all([...this.#byId.values()].map(async (command) => command.stop()));
    if (this.#marks > 0) await endTree({ mark: this.#token });
  }
}
