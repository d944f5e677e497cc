import { hostname } from "node:os";
import type { FilesElsewhere } from "../../timeline/recap.ts";
import type { SessionView } from "../view.ts";

/** As many snapshots as are looked at: a long session must not be read whole to be opened. */
const RECENT = 600;

/** What other machines captured: the log came here, their snapshots did not. */
export async function filesElsewhere(view: SessionView): Promise<readonly FilesElsewhere[]> {
  if (view.reach === "machine") return [];
  const here = hostname();
  const captured = await view.storedEntries(view.outline.linesOf("snapshot").slice(-RECENT));
  const byMachine = new Map<string, Set<number>>();
  for (const entry of captured) {
    if (entry.kind !== "snapshot" || entry.machine === undefined || entry.machine === here) continue;
    const numbers = byMachine.get(entry.machine) ?? new Set();
    byMachine.set(entry.machine, numbers.add(entry.checkpoint));
  }
  return [...byMachine].map(([machine, numbers]) => ({ machine, checkpoints: [...numbers] }));
}
