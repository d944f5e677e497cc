import type { Session } from "../../machine/session.ts";
import { branchOf } from "../../timeline/branch.ts";

/** The permission rules that the person gave "for this session" on this branch: going back takes them back. */
export async function grantsOn(session: Session): Promise<readonly string[]> {
  const lines = branchOf(session.outline).flatMap((row) => (row.kind === "tool-start" ? row.seq : []));
  const entries = await session.storedEntries(lines);
  return entries.flatMap((entry) =>
    entry.kind === "tool-start" && entry.granted !== undefined ? entry.granted : [],
  );
}
