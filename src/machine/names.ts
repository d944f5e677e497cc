import { type ErrorParams, WorldlineError } from "../record/error.ts";
import { unseenIn, visibleName } from "../record/visible-text.ts";

/** The reason why a name chosen by the user is invalid. */
type NameFault = ErrorParams<"label-invalid">["fault"];

const MAX_LABEL = 100;

/**
 * Returns the label in its stored form (NFC). Rejects labels that look like a number or like `session:number`, that do
 * not fit on a line, or that contain invisible characters.
 */
export function checkedLabel(label: string): string {
  const name = label.normalize("NFC");
  const fault = labelFault(name);
  if (fault === undefined) return name;
  throw new WorldlineError("label-invalid", { label: visibleName(name.slice(0, MAX_LABEL)), fault });
}

function labelFault(label: string): NameFault | undefined {
  if (label.trim() === "" && unseenIn(label) === undefined) return { why: "empty" };
  if (/^[#-]?\d+$/u.test(label.trim())) return { why: "like-number" };
  if (/^[^\s:]+:\d+$/u.test(label)) return { why: "like-place" };
  if (/\p{Cc}/u.test(label)) return { why: "control" };
  return nameFault(label, MAX_LABEL);
}

/**
 * The reason why a name chosen by the user is invalid: it could be mistaken for another name, or it does not fit on a
 * line. Undefined if the name is valid.
 */
function nameFault(name: string, most: number): NameFault | undefined {
  const unseen = unseenIn(name);
  if (unseen !== undefined) return { why: "unseen", sign: unseen };
  if (name.trim() !== name) return { why: "outer-space" };
  if (/^\p{M}/u.test(name)) return { why: "mark-first" };
  return name.length > most ? { why: "too-long", most } : undefined;
}

const MAX_TITLE = 200;

/**
 * Returns the title in its stored form (NFC). Rejects titles that do not fit on a line of a list, contain terminal
 * control sequences, or contain invisible characters.
 */
export function checkTitle(title: string): string {
  const trimmed = title.trim().normalize("NFC");
  const fault = titleFault(trimmed);
  if (fault === undefined) return trimmed;
  throw new WorldlineError("title-invalid", { fault });
}

function titleFault(title: string): NameFault | undefined {
  if (title === "") return { why: "empty" };
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(title)) return { why: "control" };
  return nameFault(title, MAX_TITLE);
}
