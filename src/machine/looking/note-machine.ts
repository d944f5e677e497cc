import { hostname } from "node:os";
import { quoteName } from "../../timeline/context/quote.ts";
import type { Session } from "../session.ts";

/**
 * Tells the model, once, that the session goes on on another machine than the one that last captured its files: what it was
 * told about files may not be so here.
 */
export async function noteMachine(session: Session): Promise<void> {
  if (session.sharedFrom === undefined) return;
  const line = session.outline.linesOf("snapshot").at(-1);
  const [last] = line === undefined ? [] : await session.storedEntries([line]);
  if (last?.kind !== "snapshot" || last.machine === undefined || last.machine === hostname()) return;
  const text = `This session goes on on another machine, ${quoteName(hostname())}; before, it was on ${quoteName(last.machine)}. Files here may differ from what was said about them: look before you rely on it.`;
  const since = session.outline.linesOf("notice").filter((line) => line > last.seq);
  const told = await session.entries(since);
  if (told.some((entry) => entry.kind === "notice" && entry.text === text)) return;
  await session.append({ kind: "notice", text });
}
