import type { SessionView } from "../../machine/view.ts";
import type { Scope } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { Row } from "../../timeline/row.ts";
import { isAlreadyThere, planRewind } from "../../travel/rewind.ts";

/** Refuses what a rewind would, before anything is held; of a program in words that fit one. */
export function requireWayBack({ id, header, outline }: SessionView, row: Row, scope: Scope): void {
  if (header.mode === "execution" && scope === "conversation" && isAlreadyThere(outline, row)) {
    throw new WorldlineError("execution-there-already", { session: id });
  }
  planRewind(outline, { to: row.number, scope }, {});
}
