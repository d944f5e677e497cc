import type { Processes } from "../disk/lock/processes.ts";

/** Processes that live and die as a test says. All on one machine, unless `host` names another. */
export class SimulatedProcesses {
  readonly #starts = new Map<number, string>();
  #boot = "boot-1";
  #nextPid = 100;

  /** A new living process, as it sees itself and the others. */
  start(host = "this-machine"): Processes {
    const pid = this.#nextPid++;
    this.#starts.set(pid, `start-${pid}`);
    return { pid, host, boot: `${this.#boot} of ${host}`, startOf: (other) => this.#starts.get(other) };
  }

  kill(pid: number): void {
    this.#starts.delete(pid);
  }

  /** The pid is given to a new process. */
  reuse(pid: number): void {
    this.#starts.set(pid, `start-${pid}-again`);
  }

  /** The machine starts again: everything that lived is dead. */
  restart(): void {
    this.#starts.clear();
    this.#boot = `${this.#boot}-again`;
  }
}
