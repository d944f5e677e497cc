import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { rejectsWith } from "../log-store/subject.ts";
import type { ExecutionBench, ExecutionGroup } from "./bench.ts";

/**
 * A result like the ones that database drivers return. The result contains data and functions that only the driver
 * uses.
 */
class QueryResult {
  readonly command = "INSERT";
  readonly rowCount = 1;
  readonly rows = [{ id: 1n, at: new Date(0) }];
  readonly RowCtor = null;
  readonly types = new TypeOverrides();
  readonly parse = (text: string): string => text;
  addRow(row: { readonly id: bigint; readonly at: Date }): void {
    this.rows.push(row);
  }
}

class TypeOverrides {
  readonly text = {};
  getTypeParser(): undefined {
    return undefined;
  }
}

const COPY = {
  command: "INSERT",
  rowCount: 1,
  rows: [{ id: 1n, at: new Date(0) }],
  RowCtor: null,
  types: { text: {} },
};

class Model {
  readonly #values = { id: 7, name: "ada" };
  readonly connection = new EventEmitter();
  toJSON(): unknown {
    return this.#values;
  }
}

const unreadable = new Proxy(
  {},
  {
    ownKeys: () => {
      throw new Error("closed");
    },
    getPrototypeOf: () => {
      throw new Error("closed");
    },
  },
);

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function nested(levels: number): unknown {
  let value: unknown = "bottom";
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

/**
 * Runs a program with a single step `times` times. Returns how often the step's work ran, and what each run of the
 * program received.
 */
async function runs(
  { start }: ExecutionBench,
  { id, result }: { readonly id: string; readonly result: () => unknown },
): Promise<{ readonly ran: number; readonly outcomes: readonly unknown[] }> {
  let ran = 0;
  const outcomes: unknown[] = [];
  for (let time = 0; time < 3; time += 1) {
    const execution = await start(id);
    const step = execution.step(
      "work",
      () => {
        ran += 1;
        return result();
      },
      { maxRetries: 3 },
    );
    outcomes.push(await step.catch((error: { readonly code?: unknown }) => error.code));
    await execution.close();
  }
  return { ran, outcomes };
}

export const results: ExecutionGroup = {
  title: "a step whose result cannot be stored as it is",
  cases: [
    {
      title: "runs once, and returns the same plain copy in every run",
      run: async (bench) => {
        const circle: Record<string, unknown> = { again: () => 1 };
        circle["self"] = circle;
        const copied: { self?: unknown } = {};
        copied.self = copied;
        const broken = Object.defineProperty({ left: 1 }, "token", {
          enumerable: true,
          get: () => {
            throw new Error("expired");
          },
        });
        const listed = Object.assign(["a"], { index: 0, input: "abc" });
        class Names extends Map<string, number> {}
        const symbol = Symbol("key");
        const all: readonly (readonly [() => unknown, unknown])[] = [
          [() => new QueryResult(), COPY],
          [() => [new Model()], [{ id: 7, name: "ada" }]],
          [() => circle, copied],
          [() => broken, { left: 1 }],
          [() => listed, ["a"]],
          [() => new Names([["a", 1]]), new Map([["a", 1]])],
          [() => ({ list: [1, () => 2, 3], socket: new EventEmitter() }), { list: [1, undefined, 3] }],
          [() => ({ [symbol]: 1, on: symbol, left: true }), { left: true }],
          [
            () => ({ later: Promise.resolve(1), inside: unreadable, bytes: Buffer.from("x") }),
            { bytes: Buffer.from("x") },
          ],
        ];
        for (const [at, [result, copy]] of all.entries()) {
          const { ran, outcomes } = await runs(bench, { id: `copied-${at}`, result });
          assert.equal(ran, 1, `${at} was run ${ran} times`);
          for (const outcome of outcomes) assert.deepStrictEqual(outcome, copy);
        }
      },
    },
    {
      title: "lists in its checkpoint what was left out",
      run: async ({ start }) => {
        const execution = await start();
        await execution.step("query", () => new QueryResult());
        await execution.step("exact", () => new Map([["a", new Date(0)]]));
        const [query, exact] = await execution.checkpoints();
        assert.deepEqual([query?.status, exact?.status, exact?.unstored], ["success", "success", undefined]);
        assert.deepEqual(query?.unstored, [
          { path: "output", why: "class", of: "QueryResult" },
          { path: "output.types", why: "class", of: "TypeOverrides" },
          { path: "output.parse", why: "function" },
        ]);
        await execution.close();
      },
    },
    {
      title: "is unfinished if no part of the result is data, and never runs again automatically",
      run: async (bench) => {
        const all: readonly (() => unknown)[] = [
          () => () => 1,
          () => Symbol("odd"),
          () => new Response("body"),
          () => new EventEmitter(),
          () => new WeakMap(),
          () => unreadable,
          () => revoked(),
          () => nested(2_000),
        ];
        for (const [at, result] of all.entries()) {
          const { ran, outcomes } = await runs(bench, { id: `unfinished-${at}`, result });
          assert.deepEqual([at, ran, outcomes], [at, 1, Array(3).fill("STEP_UNFINISHED")]);
        }
      },
    },
    {
      title: "and is unfinished can be settled by the caller, even in the same run",
      run: async ({ start }) => {
        const execution = await start();
        const error = await rejectsWith(
          "STEP_UNFINISHED",
          execution.step("fetch", () => new Response("body")),
        );
        assert.match(
          error.message,
          /^Step 0 "fetch" ran, but its result cannot be stored: output is an instance of Response/u,
        );
        assert.match(error.hint ?? "", /index: 0, unfinished: \{ skip: output \}/u);
        const [open] = await execution.checkpoints();
        assert.deepEqual(
          [open?.status, open?.unstored?.[0]],
          ["pending", { path: "output", why: "class", of: "Response" }],
        );
        // A loop that retries blindly must not run the step at another index either.
        await rejectsWith(
          "STEP_UNFINISHED",
          execution.step("fetch", () => assert.fail("The step must not run.")),
        );
        await execution.close();
        const again = await start();
        const told = await rejectsWith(
          "STEP_UNFINISHED",
          again.step("fetch", () => assert.fail("The step must not run.")),
        );
        assert.match(told.message, /its result cannot be stored/u);
        const output = await again.step("fetch", () => assert.fail("The step must not run."), {
          unfinished: ({ checkpoint }) => ({ skip: checkpoint.unstored?.[0]?.of }),
        });
        assert.equal(output, "Response");
        await again.close();
        const third = await start();
        assert.equal(await third.step("fetch", () => assert.fail("The step must not run.")), "Response");
        await third.close();
      },
    },
    {
      title: "does not run again in a retry either",
      run: async ({ start }) => {
        const execution = await start();
        await execution.save({ name: "a", index: 0 });
        let ran = 0;
        const retried = await execution.retryFrom(1, {
          name: "b",
          run: () => {
            ran += 1;
            return () => 1;
          },
        });
        assert.deepEqual([retried.error?.code, ran], ["STEP_UNFINISHED", 1]);
        const copied = await execution.retryFrom(1, {
          run: ({ attempt }) => ({ attempt, stop: () => undefined }),
        });
        assert.deepEqual(copied, { success: true, output: { attempt: 2 } });
        await execution.close();
      },
    },
  ],
};
