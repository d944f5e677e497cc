import { isAbsolute, resolve } from "node:path";
import { isJsonObject, type Json } from "../../../../record/json.ts";
import type { Call } from "./call-book.ts";

export interface GivenInput {
  /** What will run. */
  readonly given: unknown;
  /** The same, where it is more than what the reply asks for with its paths written out and its gaps filled. */
  readonly differs: Json | undefined;
}

/** A hook of the person's may have changed what the reply asks for: what runs is what is decided on. */
export function givenInput(workspace: string, { input }: Pick<Call, "input">, given: unknown): GivenInput {
  if (!isJsonObject(given) || !isJsonObject(input)) return { given: given ?? input, differs: undefined };
  const isSame = Object.entries(input).every(([name, wanted]) => isSameValue(workspace, wanted, given[name]));
  return { given, differs: isSame ? undefined : given };
}

function isSameValue(workspace: string, wanted: Json, given: Json | undefined): boolean {
  if (JSON.stringify(wanted) === JSON.stringify(given)) return true;
  // "5" is read as 5 where a number is meant.
  if (typeof wanted === "string" && typeof given === "number") return String(given) === wanted;
  if (typeof wanted !== "string" || typeof given !== "string" || !isAbsolute(given)) return false;
  return wanted.startsWith("~") || resolve(workspace, wanted) === given;
}
