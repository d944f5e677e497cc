import { createHash } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { SessionContent } from "../../ports/log-store.ts";
import type { EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { isSessionId } from "../../record/ids.ts";
import { sessionExists } from "../session-error.ts";
import { insertBlob } from "./blob-rows.ts";
import type { Transaction } from "./database.ts";
import { findRow, type Ground } from "./ground.ts";
import { insertLines } from "./lines/line-rows.ts";
import { packEntries } from "./lines/packed-line.ts";

const KEY_BYTES = 6;

/** Makes a session with all that it holds from the start. */
export async function createSession(
  { ground, clock }: { readonly ground: Ground; readonly clock: Clock },
  first: EntryOf<"session">,
  content: SessionContent,
): Promise<void> {
  if (!isSessionId(first.session)) throw new WorldlineError("session-has-no-id", {});
  const lines = packEntries([first, ...content.entries], 1);
  await ground.makeTables();
  let made: number | undefined;
  do {
    const key = Buffer.from(clock.random(KEY_BYTES)).readUIntBE(0, KEY_BYTES);
    made = await ground.change({
      work: async (transaction) => insertSession(transaction, { key, first, lines, blobs: content.blobs }),
      happened: async (transaction) =>
        (await findRow(transaction, first.session))?.key === key ? key : undefined,
    });
  } while (made === undefined);
}

interface NewSession {
  readonly key: number;
  readonly first: EntryOf<"session">;
  readonly lines: readonly Uint8Array[];
  readonly blobs: readonly Uint8Array[];
}

/** Undefined when the key is another session's, which chance gave it before. */
async function insertSession(transaction: Transaction, session: NewSession): Promise<number | undefined> {
  const { key, first, lines, blobs } = session;
  const inserted = await transaction.run(
    `INSERT INTO worldline_sessions (session_key, id, workspace, mode, next_seq, rewrites, trashed_at)
      VALUES (?, ?, ?, ?, ?, 0, NULL) ON CONFLICT DO NOTHING`,
    [key, first.session, searchable(first.workspace), first.mode, lines.length + 1],
  );
  if (inserted === 0) {
    if ((await findRow(transaction, first.session)) !== undefined) throw sessionExists(first.session);
    return undefined;
  }
  await insertLines(transaction, { key, first: 1 }, lines);
  for (const blob of blobs) await insertBlob(transaction, key, blob);
  return key;
}

/** What a text is found by. Paths may hold anything, of any length; no column does. */
export function searchable(text: string): string {
  return createHash("sha256").update(text, "utf16le").digest("hex");
}
