import { systemClock } from "../../../src/disk/system-clock.ts";
import type { Clock } from "../../../src/ports/clock.ts";

/** Never really waits, and records how long each wait would have been. */
export class HurriedClock implements Clock {
  readonly waits: number[] = [];

  now(): number {
    return systemClock.now();
  }

  random(count: number): Uint8Array {
    return systemClock.random(count);
  }

  async wait(milliseconds: number): Promise<void> {
    this.waits.push(milliseconds);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Every wait lasts until the test lets time pass or the waiter aborts. */
export class HeldClock implements Clock {
  readonly waits: number[] = [];
  #release: (() => void)[] = [];

  now(): number {
    return systemClock.now();
  }

  random(count: number): Uint8Array {
    return systemClock.random(count);
  }

  async wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    this.waits.push(milliseconds);
    await new Promise<void>((resolve) => {
      signal?.addEventListener("abort", () => resolve(), { once: true });
      this.#release.push(resolve);
    });
  }

  /** Ends every pending wait. */
  pass(): void {
    for (const release of this.#release.splice(0)) release();
  }
}
