import { randomBytes } from "node:crypto";
import { oneLine } from "../text.ts";
import { commandLines, endTree } from "./process-tree.ts";
import { asGiven, type ShellCommand } from "./shell-command.ts";

/** The commands of one agent that outlive the call that started them. */
export class BackgroundCommands {
  readonly #byId = new Map<string, ShellCommand>();
  readonly #token: string;
  #marks = 0;

  /**
   * `owner`: whose commands they are, by which they are known after a crash too; nobody else may have the same. Those of
   * `a.b` are also `a`'s to end.
   */
  constructor(owner: string = randomBytes(12).toString("hex")) {
    this.#token = `worldline-${owner}`;
  }

  /** For the environment of a command that is about to start: by it `close` finds what has left its process group. */
  nextMark(): string {
    this.#marks += 1;
    return `${this.#token}-${this.#marks}.`;
  }

  /** Takes a command over; returns the id by which the model can ask for it. */
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

  /** What runs now, in a line each. */
  running(): string[] {
    return [...this.#byId].flatMap(([id, command]) =>
      command.isRunning() ? [`${id}: ${oneLine(command.command)}`] : [],
    );
  }

  /** What an earlier run of the same owner left running, in a line each. Looks only. */
  leftovers(): readonly string[] {
    return commandLines({ mark: this.#token }).map(asGiven);
  }

  /** Ends what an earlier run of the same owner left running when it was killed; returns what that was. */
  async endLeftovers(): Promise<readonly string[]> {
    const left = this.leftovers();
    if (left.length > 0) await endTree({ mark: this.#token });
    return left;
  }

  /** Ends all of them, and whatever any command of this agent has left behind. */
  async close(): Promise<void> {
    await Promise.all([...this.#byId.values()].map(async (command) => command.stop()));
    if (this.#marks > 0) await endTree({ mark: this.#token });
  }
}
