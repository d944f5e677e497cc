import { WorldlineError } from "../../record/error.ts";

export type GivenKind =
  | "text"
  | "path"
  | "object"
  | "function"
  | "store"
  | "switch"
  | "branch"
  | "number"
  | "amount"
  | "take-over";

interface Kind {
  readonly called: string;
  readonly holds: (value: unknown) => boolean;
}

/** What a caller without types may get wrong, and what it is called then. */
const kinds: Readonly<Record<GivenKind, Kind>> = {
  text: { called: "a text", holds: (value) => typeof value === "string" },
  path: {
    called: "the path of a folder",
    holds: (value) => typeof value === "string" && value !== "",
  },
  object: { called: "an object", holds: isObject },
  function: { called: "a function", holds: (value) => typeof value === "function" },
  store: { called: "an address or an open store", holds: isStore },
  switch: { called: '"on" or "off"', holds: (value) => value === "on" || value === "off" },
  branch: { called: '"here" or "all"', holds: (value) => value === "here" || value === "all" },
  number: {
    called: "a number",
    holds: (value) => typeof value === "number" && !Number.isNaN(value),
  },
  amount: {
    called: "a number from 0 on",
    holds: (value) => typeof value === "number" && value >= 0,
  },
  "take-over": {
    called: '"yes", "unreadable" or "no"',
    holds: (value) => value === "yes" || value === "unreadable" || value === "no",
  },
};

interface Asked {
  /** What it is called in the sentence that says what is wrong. */
  readonly what: string;
  readonly kind: GivenKind;
  readonly hint: string;
}

/** Throws INPUT_INVALID before anything is done with what cannot be meant. */
export function requireGiven(value: unknown, { what, kind, hint }: Asked): void {
  const { called, holds } = kinds[kind];
  if (holds(value)) return;
  throw new WorldlineError("INPUT_INVALID", `${what} must be ${called}: it is ${shown(value)}.`, { hint });
}

/** The same for an object of which each field may be left out. */
export function requireFields(
  value: unknown,
  fields: Readonly<Record<string, GivenKind>>,
  { what, hint }: Pick<Asked, "what" | "hint">,
): void {
  requireGiven(value, { what, kind: "object", hint });
  for (const [name, kind] of Object.entries(fields)) {
    const field = (value as Readonly<Record<string, unknown>>)[name];
    if (field !== undefined) requireGiven(field, { what: `The option ${name}`, kind, hint });
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isStore(value: unknown): boolean {
  return typeof value === "string" || (isObject(value) && "append" in (value as object));
}

const LONGEST = 40;

function shown(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);
  }
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return String(value);
  if (typeof value === "function") return "a function";
  return Array.isArray(value) ? "a list" : "something else";
}
