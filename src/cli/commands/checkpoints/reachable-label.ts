import { WorldlineError } from "../../../record/error.ts";

/** How the command line reads a checkpoint's number: `12`, `#12`, `session:12`, and what looks like a wrong one. */
const numberLike = /^[#-]?\d+$|^[^\s:]+:#?\d+$/u;

/** A label that the command line would read as a number could be given, and never be used. */
export function requireReachable(label: string): void {
  if (!numberLike.test(label)) return;
  throw new WorldlineError(
    "LABEL_INVALID",
    `"${label}" cannot be a label: it looks like a checkpoint's number.`,
    {
      hint: 'Choose a short name with a letter in it, such as "before refactoring".',
    },
  );
}
