import { describe, expect, it } from "vitest";
import { RunStores } from "../../src/app/context.ts";
import { systemClock } from "../../src/disk/system-clock.ts";
import type { LogStore } from "../../src/ports/log-store.ts";
import { openMemoryStore } from "../../src/stores/memory.ts";

function closing(close: () => Promise<void>): LogStore {
  return { ...openMemoryStore({ clock: systemClock }), close };
}

describe("the stores of a run", () => {
  it("are opened once each, and closed once", async () => {
    const stores = new RunStores();
    let closed = 0;
    const make = () => closing(async () => void closed++);
    expect(stores.open("a", make)).toBe(stores.open("a", make));
    expect(stores.open("b", make)).not.toBe(stores.open("a", make));
    await stores.close();
    await stores.close();
    expect(closed).toBe(2);
  });

  it("end the run although one fails to close", async () => {
    const stores = new RunStores();
    stores.open("a", () => closing(() => Promise.reject(new Error("gone"))));
    await expect(stores.close()).resolves.toBeUndefined();
  });
});
