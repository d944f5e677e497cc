import { WorldlineError } from "../../record/error.ts";
import { unseenIn, visibleName } from "../../record/visible-text.ts";

const MOST_CHARACTERS = 100;

/**
 * The label as it is kept, in its composed form (NFC). It must be told apart from a number and from `session:number`, fit on a
 * line, and look like what it is.
 */
export function checkedLabel(label: string): string {
  const name = label.normalize("NFC");
  const why = faultOf(name);
  if (why === undefined) return name;
  throw new WorldlineError(
    "LABEL_INVALID",
    `"${visibleName(name.slice(0, MOST_CHARACTERS))}" cannot be a label: ${why}.`,
    {
      hint: 'Choose a short name with a letter in it, such as "before refactoring".',
    },
  );
}

function faultOf(label: string): string | undefined {
  if (label.trim() === "" && unseenIn(label) === undefined) return "it is empty";
  if (/^[#-]?\d+$/u.test(label.trim())) return "it would be taken for a checkpoint's number";
  if (/^[^\s:]+:\d+$/u.test(label)) return "it looks like session:number";
  if (/\p{Cc}/u.test(label)) return "it holds a line break or another control character";
  return faultOfName(label, MOST_CHARACTERS);
}

/** Why a name of a person's could pass for another one, or does not fit; undefined where it does neither. */
export function faultOfName(name: string, most: number): string | undefined {
  const unseen = unseenIn(name);
  if (unseen !== undefined) return `it holds ${unseen}, which cannot be seen or looks like a usual space`;
  if (name.trim() !== name) return "it begins or ends with a space";
  if (/^\p{M}/u.test(name)) return "its first character belongs to the one before it";
  return name.length > most ? `it is longer than ${most} characters` : undefined;
}
