import { dropFilesOf } from "../../../app/files/drop-files.ts";
import { heard } from "../../../app/interrupts.ts";
import { removeForGood } from "../../../app/sessions/trash.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import type { Frame } from "../../command/frame.ts";
import { type Consent, requireConsent } from "../../confirm.ts";
import { trashLines } from "./trash-list.ts";

export interface Emptying {
  readonly mode: "real" | "dry-run";
  readonly yes: Consent["yes"];
}

/** Removes what was shown, and nothing that another program deletes meanwhile. */
export async function emptyTheTrash(frame: Frame, store: LogStore, { mode, yes }: Emptying): Promise<void> {
  const { output, strings } = frame;
  const trashed = await store.listTrash();
  const count = trashed.length;
  if (count === 0) {
    output.answer({ removedForGood: [], changed: false }, () => strings.sessions.trashEmpty);
    return;
  }
  const { values } = await frame.settings();
  const lines = trashLines(trashed, { days: values["trash.days"], now: systemClock.now(), strings });
  if (mode === "dry-run") {
    const ids = trashed.map(({ session }) => session);
    output.answer({ removedForGood: ids, changed: false }, () =>
      [strings.sessions.wouldEmpty(count), ...lines, strings.sessions.dryRun].join("\n"),
    );
    return;
  }
  if (yes === "absent" && output.mode === "text") for (const line of lines) output.notice(line);
  await requireConsent({ question: strings.sessions.emptyQuestion(count), yes }, frame);
  const removed = await heard(frame, async () => removeForGood(store, trashed));
  await dropFilesOf(frame, store, removed);
  output.answer({ removedForGood: removed, changed: true }, () =>
    strings.sessions.emptied(removed.length, removed.join(", ")),
  );
}
