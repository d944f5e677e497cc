import { WorldlineError } from "../../record/error.ts";
import { faultOfName } from "./labels.ts";

const MOST_CHARACTERS = 200;

/** The title as it is kept, in its composed form (NFC). It must fit on a line of a list, command no terminal, and hide nothing. */
export function checkTitle(title: string): string {
  const trimmed = title.trim().normalize("NFC");
  const why = faultOf(trimmed);
  if (why === undefined) return trimmed;
  throw new WorldlineError("INPUT_INVALID", `This cannot be a title: ${why}.`, {
    hint: 'Choose one that fits on a line, such as "The leak in the pool".',
  });
}

function faultOf(title: string): string | undefined {
  if (title === "") return "it is empty";
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(title)) return "it holds a line break or another control character";
  return faultOfName(title, MOST_CHARACTERS);
}
