import { hostname } from "node:os";
import type { FilesElsewhere } from "../../timeline/recap.ts";
import { isElsewhere } from "../files/files-at.ts";
import type { SessionView } from "../view.ts";

/** As many snapshots as are looked at: a long session must not be read whole to be opened. */
const RECENT = 600;

/** What other machines captured: the log came here, their snapshots did not. */
export async function filesElsewhere(view: SessionView): Promise<readonly FilesElsewhere[]> {
  if (view.reach === "machine") return [];
  const stored = await view.storedEntries(view.outline.linesOf("snapshot").slice(-RECENT));
  const captured = stored.filter((entry) => entry.kind === "snapshot");
  // Two machines whose files are the same have the same snapshot.
  const here = new Set(captured.flatMap(({ machine, snapshot }) => (machine === hostname() ? snapshot : [])));
  const byMachine = new Map<string, Set<number>>();
  for (const { machine, snapshot, checkpoint } of captured) {
    if (!isElsewhere(machine) || snapshot === undefined || here.has(snapshot)) continue;
    const numbers = byMachine.get(machine) ?? new Set();
    byMachine.set(machine, numbers.add(checkpoint));
  }
  return [...byMachine].map(([machine, numbers]) => ({ machine, checkpoints: [...numbers] }));
}
