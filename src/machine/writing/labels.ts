import { WorldlineError } from "../../record/error.ts";

const MOST_CHARACTERS = 100;

/** A label must be told apart from a number and from `session:number`, and fit on a line. */
export function checkLabel(label: string): void {
  const why = faultOf(label);
  if (why === undefined) return;
  throw new WorldlineError(
    "LABEL_INVALID",
    `"${label.slice(0, MOST_CHARACTERS)}" cannot be a label: ${why}.`,
    {
      hint: 'Choose a short name with a letter in it, such as "before refactoring".',
    },
  );
}

function faultOf(label: string): string | undefined {
  if (label.trim() === "") return "it is empty";
  if (/^[#-]?\d+$/u.test(label.trim())) return "it would be taken for a checkpoint's number";
  if (/^[^\s:]+:\d+$/u.test(label)) return "it looks like session:number";
  if (/\p{Cc}/u.test(label)) return "it holds a line break or another control character";
  return label.length > MOST_CHARACTERS ? `it is longer than ${MOST_CHARACTERS} characters` : undefined;
}
