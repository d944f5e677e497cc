import { WorldlineError } from "../../record/error.ts";
import { type CheckpointNumber, toCheckpointNumber } from "../../record/ids.ts";

/** How a person names a checkpoint. A session is named by its id or the beginning of it. */
export type CheckpointReference =
  | { readonly by: "number"; readonly number: CheckpointNumber }
  | { readonly by: "session-number"; readonly session: string; readonly number: CheckpointNumber }
  | { readonly by: "label"; readonly label: string };

/** Reads `12`, `#12` as lists show it, `session:12`, or a label. No label can look like the others. */
export function parseCheckpointReference(text: string): CheckpointReference {
  const number = /^#?(\d+)$/u.exec(text.trim())?.[1];
  if (number !== undefined) return { by: "number", number: checkpointNumber(number, text) };
  const [, session, ofSession] = /^([^\s:]+):#?(\d+)$/u.exec(text.trim()) ?? [];
  if (session !== undefined && ofSession !== undefined) {
    return { by: "session-number", session, number: checkpointNumber(ofSession, text) };
  }
  if (/^-\d+$/u.test(text.trim()) || text.trim() === "")
    throw new WorldlineError("not-a-checkpoint", { given: text });
  return { by: "label", label: text };
}

function checkpointNumber(digits: string, text: string): CheckpointNumber {
  const number = Number(digits);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new WorldlineError("not-a-checkpoint", { given: text });
  return toCheckpointNumber(number);
}
