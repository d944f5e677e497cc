import { publishedFault } from "../../../../app/checkpoints/checkpoint-list.ts";
import { systemClock } from "../../../../disk/system-clock.ts";
import { publishCheckpoints } from "../../../../machine/checkpoint-list.ts";
import { viewSession } from "../../../../machine/open.ts";
import type { SessionId } from "../../../../record/ids.ts";
import type { Check, SessionsExam } from "./check.ts";

/** A program that has the session open writes the list right after the log: what is still wrong after this will stay wrong. */
const WRITING_MS = 250;

/** Whether `checkpoints/metadata.json` lists what the log has. Only where sessions are files. */
export async function metadataChecks(exam: SessionsExam, session: SessionId): Promise<readonly Check[]> {
  const { frame, store, mode } = exam;
  if (store.place.kind !== "files") return [];
  let view = await viewSession(store, session);
  let why = await publishedFault(frame.home, view);
  if (why === undefined) return [];
  const holder = await store.holder(session);
  const isHeld = holder !== undefined && holder.life !== "dead";
  if (isHeld) {
    await systemClock.wait(WRITING_MS);
    view = await viewSession(store, session);
    why = await publishedFault(frame.home, view);
    if (why === undefined) return [];
  }
  const { doctor } = frame.strings;
  const about = (text: string): string => doctor.about(session, "checkpoints/metadata.json", text);
  const found: Check = { about: "sessions", status: "warning", message: about(doctor.metadata[why]) };
  if (isHeld) return [{ ...found, hint: doctor.metadataHeldHint }];
  if (mode === "look") return [{ ...found, hint: doctor.metadataHint, fixable: true }];
  const { values } = await frame.settings();
  const failure = await publishCheckpoints(view, store, values.checkpointKeepCount);
  return failure === undefined
    ? [{ about: "sessions", status: "fixed", message: about(doctor.metadataWritten) }]
    : [
        {
          ...found,
          message: about(failure.message),
          ...(failure.hint === undefined ? {} : { hint: failure.hint }),
        },
      ];
}
