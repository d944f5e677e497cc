import type { Processes } from "../disk/lock-owner.ts";
import type { Clock } from "../ports/clock.ts";

/**
 * A clock that advances only when a caller waits, and a source of random numbers that produces the same sequence each
 * time.
 */
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

  /** Advances the clock immediately. Resolves after work that has already begun has had a chance to run. */
  async wait(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  /** Returns a random integer from 0 up to, but not including, `below`. */
  below(below: number): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.random(4);
    return ((a * 256 + b) * 65_536 + c * 256 + d) % below;
  }

  /**
   * Returns a random byte. Uses mulberry32, which is good enough for tests and produces the same numbers everywhere.
   */
  #roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) & 0xff;
  }
}

/**
 * Processes that a test can start and kill. All processes are on the same machine unless `host` names another machine.
 */
export class SimulatedProcesses {
  readonly #starts = new Map<number, string>();
  #boot = "boot-1";
  #nextPid = 100;

  /** Starts a process, and returns that process's view of itself and the other processes. */
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

  /** Restarts the machine, which ends all processes. */
  restart(): void {
    this.#starts.clear();
    this.#boot = `${this.#boot}-again`;
  }
}
