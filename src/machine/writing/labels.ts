import { type ErrorParams, WorldlineError } from "../../record/error.ts";
import { unseenIn, visibleName } from "../../record/visible-text.ts";

/** Why a name that a person gives cannot be kept. */
export type NameFault = ErrorParams<"label-invalid">["fault"];

const MOST_CHARACTERS = 100;

/**
 * The label as it is kept, in its composed form (NFC). It must be told apart from a number and from `session:number`, fit on a
 * line, and look like what it is.
 */
export function checkedLabel(label: string): string {
  const name = label.normalize("NFC");
  const fault = faultOf(name);
  if (fault === undefined) return name;
  throw new WorldlineError("label-invalid", { label: visibleName(name.slice(0, MOST_CHARACTERS)), fault });
}

function faultOf(label: string): NameFault | undefined {
  if (label.trim() === "" && unseenIn(label) === undefined) return { why: "empty" };
  if (/^[#-]?\d+$/u.test(label.trim())) return { why: "like-number" };
  if (/^[^\s:]+:\d+$/u.test(label)) return { why: "like-place" };
  if (/\p{Cc}/u.test(label)) return { why: "control" };
  return faultOfName(label, MOST_CHARACTERS);
}

/** Why a name of a person's could pass for another one, or does not fit; undefined where it does neither. */
export function faultOfName(name: string, most: number): NameFault | undefined {
  const unseen = unseenIn(name);
  if (unseen !== undefined) return { why: "unseen", sign: unseen };
  if (name.trim() !== name) return { why: "outer-space" };
  if (/^\p{M}/u.test(name)) return { why: "mark-first" };
  return name.length > most ? { why: "too-long", most } : undefined;
}
