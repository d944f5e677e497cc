import { systemClock } from "../../../src/disk/system-clock.ts";
import type { Clock } from "../../../src/ports/clock.ts";

/** Waits for nothing, and tells how long it would have. */
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

/** Every wait lasts until the test lets time pass, or whoever waits gives up. */
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

  /** All that is waited for is over. */
  pass(): void {
    for (const release of this.#release.splice(0)) release();
  }
}
