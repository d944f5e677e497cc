import { describe, expect, it } from "vitest";
import { SerialQueue } from "../../src/disk/lock.ts";

describe("a serial queue", () => {
  it("begins one piece of work when the one before has ended, also where that failed", async () => {
    const queue = new SerialQueue();
    const done: string[] = [];
    let finish = (): void => undefined;
    const first = queue.run(async () => {
      done.push("first begins");
      await new Promise<void>((resolve) => (finish = resolve));
      done.push("first fails");
      throw new Error("no");
    });
    const second = queue.run(async () => {
      done.push("second");
      return 2;
    });
    const idle = queue.idle().then(() => done.push("idle"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual(["first begins"]);
    finish();
    await expect(first).rejects.toThrow("no");
    expect(await second).toBe(2);
    await idle;
    expect(done).toEqual(["first begins", "first fails", "second", "idle"]);
  });
});
