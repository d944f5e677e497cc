import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Unrest } from "../../../../src/app/watch.ts";

const pace = { quietMs: 100, maxMs: 1_000 };

describe("files in unrest", () => {
  it("are not due while nothing has changed", () => {
    const unrest = new Unrest();
    unrest.mark(new Set(), 5);
    expect([unrest.dueAt(pace), unrest.take()]).toEqual([Number.POSITIVE_INFINITY, undefined]);
  });

  it("are due when they have come to rest", () => {
    const unrest = new Unrest();
    unrest.mark(new Set(["a"]), 0);
    unrest.mark(new Set(["b"]), 50);
    expect(unrest.dueAt(pace)).toBe(150);
    expect(unrest.take()).toEqual(new Set(["a", "b"]));
    expect(unrest.dueAt(pace)).toBe(Number.POSITIVE_INFINITY);
  });

  it("are due after the longest time even if they never rest", () => {
    const unrest = new Unrest();
    for (let at = 0; at <= 2_000; at += 10) unrest.mark(new Set(["a"]), at);
    expect(unrest.dueAt(pace)).toBe(1_000);
  });

  it("may be anywhere once the whole workspace was reported", () => {
    const unrest = new Unrest();
    unrest.mark(new Set(["a"]), 0);
    unrest.mark("all", 1);
    unrest.mark(new Set(["b"]), 2);
    expect(unrest.take()).toBe("all");
  });

  it("law: whatever is marked is taken once, and never later than both times allow", () => {
    const marks = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(300)), { minLength: 1 });
    fc.assert(
      fc.property(marks, (given) => {
        const unrest = new Unrest();
        let at = 0;
        const first = given[0]?.[1] ?? 0;
        for (const [path, after] of given) {
          at += after;
          unrest.mark(new Set([path]), at);
        }
        expect(unrest.dueAt(pace)).toBe(Math.min(at + pace.quietMs, first + pace.maxMs));
        expect(unrest.take()).toEqual(new Set(given.map(([path]) => path)));
        expect(unrest.take()).toBeUndefined();
      }),
    );
  });
});
