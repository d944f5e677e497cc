import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { viewSession } from "../../../../machine/open.ts";
import type { SessionView } from "../../../../machine/view.ts";
import { newestCheckpoints, publishCheckpoints } from "../../../../machine/writing/publish.ts";
import type { SessionId } from "../../../../record/ids.ts";
import { isJsonObject } from "../../../../record/json.ts";
import { systemCode } from "../../../places/system-error.ts";
import type { Check, SessionsExam } from "./check.ts";

/** Whether `checkpoints/metadata.json` lists what the log has. Only where sessions are files, and nobody is about to write it. */
export async function metadataChecks(exam: SessionsExam, session: SessionId): Promise<readonly Check[]> {
  const { frame, store, mode } = exam;
  if (store.place.kind !== "files" || (await store.holder(session)) !== undefined) return [];
  const view = await viewSession(store, session);
  const why = await whatIsWrong(exam, view);
  if (why === undefined) return [];
  const { doctor } = frame.strings;
  const about = (text: string): string => doctor.about(session, "checkpoints/metadata.json", text);
  const found: Check = { about: "sessions", status: "warning", message: about(doctor.metadata[why]) };
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

/** Times and labels are left out of it: the first depend on who asks, and only the ids are what scripts go by. */
async function whatIsWrong(
  { frame }: SessionsExam,
  view: SessionView,
): Promise<"missing" | "unreadable" | "stale" | undefined> {
  if (view.outline.linesOf("checkpoint").length === 0) return undefined;
  const path = join(frame.home, "sessions", view.id, "checkpoints", "metadata.json");
  const text = await readFile(path, "utf8").catch((error: unknown) => systemCode(error) ?? "EIO");
  // A copy or an import gets its list when it is opened for the first time.
  const { forkedFrom, imported } = view.header;
  if (text === "ENOENT") return forkedFrom === undefined && imported === undefined ? "missing" : undefined;
  const listed = idsIn(text);
  if (listed === undefined) return "unreadable";
  const ids = (await newestCheckpoints(view, Math.max(1, listed.length))).map(({ id }) => id).reverse();
  return JSON.stringify(ids) === JSON.stringify(listed) ? undefined : "stale";
}

function idsIn(text: string): readonly string[] | undefined {
  try {
    const document: unknown = JSON.parse(text);
    const checkpoints = isJsonObject(document) ? document["checkpoints"] : undefined;
    if (!Array.isArray(checkpoints)) return undefined;
    return checkpoints.map((each: unknown) => String(isJsonObject(each) ? each["id"] : undefined));
  } catch {
    return undefined;
  }
}
