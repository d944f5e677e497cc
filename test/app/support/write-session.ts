import { dirname } from "node:path";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { type OpenSessionOptions, openSession } from "../../../src/open-session.ts";
import type { EntryOf } from "../../../src/record/entry.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { textPart } from "../../../src/record/parts.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { Story } from "../../../src/testing/testing.ts";

/** Writes a session with one prompt and its reply. */
export async function writeSession(
  { home, workspace }: { readonly home: string; readonly workspace: string },
  { text = "find the leak", ...options }: OpenSessionOptions & { readonly text?: string } = {},
): Promise<SessionId> {
  const session = await openSession({ home, workspace, ...options });
  await session.prompt(text);
  await session.reply({ model: "scripted", parts: [textPart("Found.")] });
  await session.close();
  return session.id;
}

/** Writes a session as if it came from elsewhere: without the signature of this home, which has signed another one. */
export async function writeForeign(
  { home, workspace }: { readonly home: string; readonly workspace: string },
  session: SessionId,
  more: Partial<EntryOf<"session">> = {},
): Promise<SessionId> {
  const store = openFilesStore({ root: home, clock: systemClock });
  if ((await store.list()).length === 0) await writeSession({ home, workspace: dirname(home) });
  await store.create({ ...new Story(session).begin(workspace), ...more });
  return session;
}
