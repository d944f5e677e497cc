import { inspect, isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keepError, keepValue, restoreValue } from "../../../src/executions/values/values.ts";
import type { Json } from "../../../src/record/parts.ts";

/** Encodes a value as text and decodes it, as the log does. */
function throughTheLog(value: unknown): unknown {
  const kept = keepValue(value, "value");
  return restoreValue(kept === undefined ? undefined : (JSON.parse(JSON.stringify(kept)) as Json));
}

/** Node 20 never treats two invalid dates as equal, so values with one are compared by their printed form. */
function isSame(a: unknown, b: unknown): boolean {
  const look = (value: unknown): string => inspect(value, { depth: null, maxArrayLength: null });
  return isDeepStrictEqual(a, b) || (look(b).includes("Invalid Date") && look(a) === look(b));
}

function refusal(value: unknown): string {
  try {
    keepValue(value, "state");
    return "kept";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("the values of an execution", () => {
  it("law: come back as they were, whatever they are", () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      withUnicodeString: true,
      key: fc.oneof(fc.string(), fc.constantFrom("__proto__", "$value", "$blob", "constructor", "toJSON")),
    } as fc.ObjectConstraints);
    fc.assert(
      fc.property(anything, (value) => {
        expect(isSame(throughTheLog(value), value)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["undefined", undefined],
    ["minus zero", -0],
    ["not a number", Number.NaN],
    ["an invalid date", new Date(Number.NaN)],
    ["a pattern that was used", Object.assign(/a/gu, { lastIndex: 2 })],
    ["an address", new URL("https://example.org/a?b=c#d")],
    ["bytes of a shared pool", Buffer.from("bytes")],
    ["some of many bytes", new Uint8Array([1, 2, 3, 4]).subarray(1, 3)],
    ["a view", new DataView(new ArrayBuffer(8), 2, 4)],
    ["a buffer", new Uint8Array([1, 2]).buffer],
    ["an object like the mark", { $value: "[1]" }],
    ["an object like a blob", { $blob: "0".repeat(64), start: "", length: 3 }],
    ["half a surrogate pair", "\ud800"],
    ["a long text of such", "\udc00".repeat(5_000)],
    ["a long list", Array.from({ length: 5_000 }, (_, index) => index)],
    ["a list with holes", Object.assign(new Array<unknown>(4), { 0: 1, 2: 3 })],
    ["a very sparse list", Object.assign([], { 100000: "far" })],
  ])("hold %s", (_, value) => {
    expect(isSame(throughTheLog(value), value)).toBe(true);
  });

  it("keep circles, also through errors and odd names", () => {
    const error = Object.assign(new RangeError("round"), { code: "E_ROUND" }) as RangeError & {
      self?: unknown;
    };
    error.self = error;
    const odd = JSON.parse('{"__proto__":{"deep":1}}') as Record<string, unknown>;
    const circle: Record<string, unknown> = { error, odd, list: [] };
    circle["again"] = circle;
    (circle["list"] as unknown[]).push(circle, odd);
    odd["back"] = circle;
    const back = throughTheLog(circle) as typeof circle;
    expect(back["again"]).toBe(back);
    expect((back["list"] as unknown[])[1]).toBe(back["odd"]);
    expect((back["odd"] as Record<string, unknown>)["back"]).toBe(back);
    expect(Object.keys(back["odd"] as object)).toEqual(["__proto__", "back"]);
    const again = back["error"] as typeof error;
    expect(again).toBeInstanceOf(RangeError);
    expect(again.self).toBe(again);
    expect(isDeepStrictEqual(back, circle)).toBe(true);
  });

  it("restore errors to what they were, with everything that they carried", () => {
    class OwnError extends TypeError {
      override name = "OwnError";
      readonly details = new Map([["tries", 3]]);
    }
    const error = new OwnError("own", { cause: new SyntaxError("deep") });
    const back = throughTheLog(error) as OwnError;
    expect(back).toBeInstanceOf(TypeError);
    expect({ ...back, message: back.message, stack: back.stack, cause: back.cause }).toEqual({
      name: "OwnError",
      details: error.details,
      message: "own",
      stack: error.stack,
      cause: error.cause,
    });
    expect(back.cause).toBeInstanceOf(SyntaxError);
    const several = new AggregateError([new Error("one"), new URIError("two")], "several");
    expect((throughTheLog(several) as AggregateError).errors[1]).toBeInstanceOf(URIError);
    const aborted = throughTheLog(AbortSignal.abort().reason) as DOMException;
    expect([aborted.name, aborted instanceof DOMException]).toEqual(["AbortError", true]);
  });

  it("are refused by path where they cannot be kept", () => {
    class Handle {}
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    let deep: unknown = 1;
    for (let depth = 0; depth < 20_000; depth += 1) deep = [deep];
    expect(
      [
        { handler: () => 1 },
        { list: [1, Symbol("s")] },
        new Map([["key", new Handle()]]),
        { "odd key": Promise.resolve(1) },
        { [Symbol("s")]: 1 },
        { proxy: revoked.proxy },
        {
          get broken() {
            throw new Error("no");
          },
        },
        new WeakMap(),
        Object.assign([1], { extra: 1 }),
        new (class Deep extends Map {})(),
        Object.assign(new Error("e"), { request: new Handle() }),
      ].map(refusal),
    ).toEqual([
      "state.handler is a function, which cannot be stored.",
      "state.list[1] is a symbol, which cannot be stored.",
      'state.get("key") is an instance of Handle, which cannot be stored.',
      'state["odd key"] is a promise, which cannot be stored.',
      "state has a symbol property, Symbol(s), which cannot be stored.",
      "state.proxy cannot be stored: inspecting it threw (Cannot perform 'IsArray' on a proxy that has been revoked).",
      "state.broken cannot be stored: its getter threw (no).",
      "state is an instance of WeakMap, which cannot be stored.",
      "state is an array with an extra property, extra, which cannot be stored.",
      "state is an instance of Deep, which cannot be stored.",
      "state.request is an instance of Handle, which cannot be stored.",
    ]);
    expect(refusal(deep)).toBe(
      `state${"[0]".repeat(18)}[…${"[0]".repeat(20)} is nested too deeply, which cannot be stored.`,
    );
  });

  it("may be very many", () => {
    const list = Array.from({ length: 300_000 }, (_, at) => at);
    const map = new Map(list.map((at) => [at, at]));
    for (const value of [list, map, new Set(list)]) {
      expect(isDeepStrictEqual(throughTheLog(value), value)).toBe(true);
    }
  });

  it("are refused where they are bytes of a kind that is not known, also when a newer version kept them", () => {
    class Float16Array extends (DataView as unknown as new (buffer: ArrayBuffer) => object) {
      get [Symbol.toStringTag](): string {
        return "Float16Array";
      }
    }
    expect(refusal({ half: new Float16Array(new ArrayBuffer(2)) })).toBe(
      "state.half is an instance of Float16Array, which cannot be stored.",
    );
    const kept = { $value: '[["Bytes",1],{"type":2,"base64":3},"Float16Array","AAA="]' };
    expect(() => restoreValue(kept)).toThrow("A value stored in this execution cannot be read.");
    expect(restoreValue({ $value: kept.$value.replace("Float16Array", "Uint16Array") })).toEqual(
      new Uint16Array(1),
    );
  });

  it("are copies: what the program does to its own afterwards changes nothing", () => {
    const state = { list: [1] };
    const kept = keepValue(state, "state");
    state.list.push(2);
    const back = restoreValue(kept) as typeof state;
    back.list.push(3);
    expect(restoreValue(kept)).toEqual({ list: [1] });
  });
});

describe("the failure of a step", () => {
  it("keeps its cause, what does not show in a listing, and all fields beside one that cannot be kept", () => {
    const cause = Object.assign(new RangeError("no route", { cause: { host: "db", retry: () => 1 } }), {
      ports: new Set([5432]),
    });
    const thrown = Object.assign(new Error("down", { cause }), { stop: () => 1, at: new Date(0) });
    Object.defineProperty(thrown, "code", { value: "E_DOWN" });
    const back = restoreValue(keepError(thrown)) as typeof thrown & { readonly code: string };
    expect([back.message, back.stack, back.code, back.at, "stop" in back]).toEqual([
      "down",
      thrown.stack,
      "E_DOWN",
      new Date(0),
      false,
    ]);
    expect(Object.keys(back)).toEqual(["at"]);
    expect(back.cause).toBeInstanceOf(RangeError);
    expect(back.cause).toMatchObject({ message: "no route", ports: new Set([5432]), cause: { host: "db" } });
    const circle = Object.assign(new Error("round"), { self: undefined as unknown, run: () => 1 });
    circle.self = circle;
    const again = restoreValue(keepError(circle)) as typeof circle;
    expect(again.self).toBe(again);
  });

  it("is kept whatever was thrown", () => {
    const socket = Object.assign(new TypeError("refused"), { code: "ECONNREFUSED", socket: () => 1 });
    const back = restoreValue(keepError(socket)) as typeof socket;
    expect({ ...back, name: back.name, message: back.message }).toEqual({
      name: "TypeError",
      message: "refused",
      code: "ECONNREFUSED",
    });
    expect(back).toBeInstanceOf(TypeError);
    expect(back.stack).toBe(socket.stack);
    expect([undefined, "text", () => 1].map((thrown) => typeof restoreValue(keepError(thrown)))).toEqual([
      "undefined",
      "string",
      "object",
    ]);
  });
});
