import type { Processes } from "../disk/lock-owner.ts";
import type { Clock } from "../ports/clock.ts";

/** A clock that advances only when a caller waits, and random numbers that are the same each time. */
export class ManualClock implements Clock {
  #now: number;
  #state: number;

  constructor(start: { readonly now?: number; readonly seed?: number } = {}) {
    this.#now = start.now ?? Date.UTC(2026, 0, 1);
    this.#state = start.seed ?? 1;
  }

  now(): number {
    return this.#now;
  }

  random(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#roll());
  }

  /** Time passes immediately, once work that has already begun has had a chance to run. */
  async wait(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  /** An integer from 0 up to, but not including, `below`. */
  below(below: number): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.random(4);
    return ((a * 256 + b) * 65_536 + c * 256 + d) % below;
  }

  /** Uses mulberry32, one byte at a time, which is good enough for tests and gives the same numbers everywhere. */
  #roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) & 0xff;
  }
}

/** Processes that a test can start and kill. All of them are on one machine, unless `host` names another. */
export class SimulatedProcesses {
  readonly #starts = new Map<number, string>();
  #boot = "boot-1";
  #nextPid = 100;

  /** Starts a process, and returns that process's view of itself and the others. */
  start(host = "this-machine"): Processes {
    const pid = this.#nextPid++;
    this.#starts.set(pid, `start-${pid}`);
    return { pid, host, boot: `${this.#boot} of ${host}`, startOf: (other) => this.#starts.get(other) };
  }

  kill(pid: number): void {
    this.#starts.delete(pid);
  }

  /** Gives a process's pid to a new process. */
  reuse(pid: number): void {
    this.#starts.set(pid, `start-${pid}-again`);
  }

  /** Restarts the machine, so that all processes die. */
  restart(): void {
    this.#starts.clear();
    this.#boot = `${this.#boot}-again`;
  }
}
