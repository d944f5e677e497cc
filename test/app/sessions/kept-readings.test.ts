import { describe, expect, it } from "vitest";
import { KeptReadings } from "../../../src/app/sessions/store.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { hinderedStore, Story } from "../../../src/testing/testing.ts";

describe("what was read of a session", () => {
  it("is not read again before the session is written to, and is nothing where it is gone", async () => {
    const store = openMemoryStore();
    const story = new Story();
    await store.create(story.begin());
    const known = counting(new KeptReadings<number>(), store, story);
    expect([await known(), await known()]).toEqual([1, 1]);
    await store.append(story.session, toSeq(2), [story.prompt("more")]);
    expect([await known(), await known()]).toEqual([2, 2]);
    await store.trash(story.session, 1);
    expect(await known()).toBeUndefined();
  });

  it("is read each time where the store cannot tell whether it has changed", async () => {
    const story = new Story();
    const store = hinderedStore(openMemoryStore(), (call) => {
      if (call === "stamp")
        throw new WorldlineError("stated", { code: "STORE_UNREADABLE", message: "It cannot be looked at." });
    });
    const known = counting(new KeptReadings<number>(), store, story);
    expect([await known(), await known()]).toEqual([1, 2]);
  });

  it("hides no error that is not Worldline's", async () => {
    const bug = new TypeError("broken");
    const store = hinderedStore(openMemoryStore(), (call) => {
      if (call === "stamp") throw bug;
    });
    await expect(counting(new KeptReadings<number>(), store, new Story())()).rejects.toBe(bug);
  });
});

function counting(
  readings: KeptReadings<number>,
  store: LogStore,
  { session }: Story,
): () => Promise<unknown> {
  let count = 0;
  return async () =>
    readings.of(store, session, async () => {
      count += 1;
      return count;
    });
}
