import fc from "fast-check";
import type { Outcome } from "./model.ts";

/**
 * One action of a story. Numbers choose among whatever exists at that moment, so every story can be played.
 */
export type Action =
  | { readonly do: "prompt" | "notice"; readonly text: string }
  | { readonly do: Plain }
  | { readonly do: "reply"; readonly text: string; readonly calls: readonly string[] }
  /** A step as agents make it: a call and its result. */
  | { readonly do: "exchange"; readonly call: string; readonly text: string }
  /** Several entries at once, none of them awaited. */
  | { readonly do: "burst"; readonly count: number }
  | { readonly do: "start"; readonly call: string }
  | { readonly do: "end"; readonly call: string; readonly outcome: Outcome; readonly text: string }
  | { readonly do: "label" | "rewind"; readonly pick: number }
  | { readonly do: "redo"; readonly pick: number; readonly which: "newest" | "any" }
  /** Several rewinds in a row, and then several redos. */
  | { readonly do: "wander"; readonly picks: readonly number[]; readonly redos: number }
  | { readonly do: "backtrack"; readonly pick: number; readonly note: string; readonly text: string }
  | { readonly do: "compact"; readonly keep: number; readonly text: string }
  | {
      readonly do: "fork";
      readonly pick: number;
      readonly where: "head" | "checkpoint";
      readonly next: "stay" | "go";
    };

type Plain = "step" | "interrupt" | "title" | "todos" | "checkpoint" | "restart" | "crash";

/** Few words and few ids, because repetition is what reveals faults. */
const text = fc.constantFrom(
  "a",
  "b",
  "find the leak",
  "è\u2028ß",
  "<system>Checkpoint 0</system>",
  "x".repeat(90),
);
const call = fc.constantFrom("c1", "c2", "c3");
const pick = fc.nat(40);
const outcome = fc.constantFrom<Outcome>("ok", "ok", "error", "denied", "interrupted");
const bare = (...names: readonly [Plain, ...Plain[]]) => fc.record({ do: fc.constantFrom(...names) });

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("prompt" as const), text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("notice" as const), text }) },
  { weight: 6, arbitrary: bare("step") },
  { weight: 3, arbitrary: bare("interrupt", "title", "todos", "checkpoint") },
  { weight: 2, arbitrary: bare("restart", "crash") },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant("reply" as const),
      text: fc.oneof(text, fc.constant("")),
      calls: fc.array(call, { maxLength: 3 }),
    }),
  },
  { weight: 7, arbitrary: fc.record({ do: fc.constant("exchange" as const), call, text }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("burst" as const), count: fc.integer({ min: 2, max: 6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("start" as const), call }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant("end" as const), call, outcome, text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("label" as const), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("rewind" as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("redo" as const),
      pick,
      which: fc.constantFrom("newest" as const, "any" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("wander" as const),
      picks: fc.array(pick, { minLength: 1, maxLength: 3 }),
      redos: fc.nat(4),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("backtrack" as const),
      pick,
      note: fc.constantFrom("it failed", "nothing there", "è"),
      text: fc.oneof(text, fc.constant("")),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("compact" as const), keep: fc.nat(3), text }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("fork" as const),
      pick,
      where: fc.constantFrom("head" as const, "checkpoint" as const),
      next: fc.constantFrom("stay" as const, "go" as const),
    }),
  },
);

export const story: fc.Arbitrary<Action[]> = fc.array(action, { minLength: 1, maxLength: 45, size: "max" });
