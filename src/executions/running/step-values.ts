import type { SavedBody } from "../../record/entry.ts";
import { keepError, keepResult, keepValue, type StoredResult } from "../values/values.ts";

const FIELDS = ["state", "context", "variables", "metadata"] as const;

type Given = Partial<Record<(typeof FIELDS)[number], unknown>>;
export type KeptGiven = Pick<SavedBody, (typeof FIELDS)[number]>;

/** What a program hands in with a step, as the log keeps it. Throws INPUT_INVALID, naming the field, before anything is written. */
export function keepGiven(given: Given): KeptGiven {
  const kept = FIELDS.map((field) => [field, keepValue(given[field], field)] as const);
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
}

export function keepOutput(output: unknown): Pick<SavedBody, "output"> {
  const kept = keepValue(output, "output");
  return kept === undefined ? {} : { output: kept };
}

/** What the work of a step returned, as far as it can be stored. Never throws: the work is done. */
export function storeOutput(output: unknown): StoredResult {
  return keepResult(output, "output");
}

export function keepFailure(error: unknown): Pick<SavedBody, "error"> {
  return { error: keepError(error) };
}
