import { hostname } from "node:os";
import { quoteName } from "../timeline/context/notices.ts";
import type { FilesElsewhere } from "../timeline/recap.ts";
import { isElsewhere } from "./files/intervals.ts";
import type { Session } from "./session.ts";
import type { SessionView } from "./view.ts";

/** The maximum number of snapshots to check. Opening a long session must not require reading all of it. */
const RECENT = 600;

/** Finds captures by other machines. Their entries are in the log, but their snapshots are not on this machine. */
export async function filesElsewhere(view: SessionView): Promise<readonly FilesElsewhere[]> {
  if (view.reach === "machine") return [];
  const stored = await view.storedEntries(view.outline.linesOf("snapshot").slice(-RECENT));
  const captured = stored.filter((entry) => entry.kind === "snapshot");
  // If two machines have the same files, their snapshots are identical.
  const here = new Set(captured.flatMap(({ machine, snapshot }) => (machine === hostname() ? snapshot : [])));
  const byMachine = new Map<string, Set<number>>();
  for (const { machine, snapshot, checkpoint } of captured) {
    if (!isElsewhere(machine) || snapshot === undefined || here.has(snapshot)) continue;
    const numbers = byMachine.get(machine) ?? new Set();
    byMachine.set(machine, numbers.add(checkpoint));
  }
  return [...byMachine].map(([machine, numbers]) => ({ machine, checkpoints: [...numbers] }));
}

/**
 * Writes a notice to the model if the session continues on a different machine from the one that last captured its
 * files. What the model knows about files may not apply on this machine. The notice is written only once.
 */
export async function noteMachine(session: Session): Promise<void> {
  if (session.sharedFrom === undefined) return;
  const line = session.outline.linesOf("snapshot").at(-1);
  const [last] = line === undefined ? [] : await session.storedEntries([line]);
  if (last?.kind !== "snapshot" || last.machine === undefined || last.machine === hostname()) return;
  const text = `This session now continues on another machine, ${quoteName(hostname())}; before, it was on ${quoteName(last.machine)}. Files here may differ from what the conversation says about them, so check before you rely on it.`;
  const since = session.outline.linesOf("notice").filter((line) => line > last.seq);
  const told = await session.entries(since);
  if (told.some((entry) => entry.kind === "notice" && entry.text === text)) return;
  await session.append({ kind: "notice", text });
}
