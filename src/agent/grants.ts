import type { Session } from "../machine/session.ts";
import { branchOf } from "../timeline/branch.ts";

/** The permission rules that the person gave "for this session" on this branch: going back takes them back. */
export async function grantsOn(session: Session): Promise<readonly string[]> {
  const lines = branchOf(session.outline).flatMap(({ kind, seq }) => (mayGrant(kind) ? seq : []));
  const entries = await session.storedEntries(lines);
  return entries.flatMap((entry) =>
    mayGrant(entry.kind) && "granted" in entry ? (entry.granted ?? []) : [],
  );
}

/** It is given with a call, or when another agent asks by itself about one that has begun. */
function mayGrant(kind: string): boolean {
  return kind === "tool-start" || kind === "host";
}
