import { WorldlineError } from "../../record/error.ts";
import { faultOfName, type NameFault } from "./labels.ts";

const MOST_CHARACTERS = 200;

/** The title as it is kept, in its composed form (NFC). It must fit on a line of a list, command no terminal, and hide nothing. */
export function checkTitle(title: string): string {
  const trimmed = title.trim().normalize("NFC");
  const fault = faultOf(trimmed);
  if (fault === undefined) return trimmed;
  throw new WorldlineError("title-invalid", { fault });
}

function faultOf(title: string): NameFault | undefined {
  if (title === "") return { why: "empty" };
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(title)) return { why: "control" };
  return faultOfName(title, MOST_CHARACTERS);
}
