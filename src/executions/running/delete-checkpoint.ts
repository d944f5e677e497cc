import type { LogStore } from "../../ports/log-store.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { checkpointNamed } from "../checkpoint-id.ts";
import type { StepRecord } from "../step-records.ts";
import type { StepLedger } from "./step-ledger.ts";

/** False where there is no checkpoint of that id: never there, or deleted before. */
export async function deleteCheckpoint(ledger: StepLedger, store: LogStore, id: string): Promise<boolean> {
  const name = checkpointNamed(ledger.id, id);
  const record = name === undefined ? undefined : ledger.records.named(name);
  if (record === undefined) return false;
  const { index, attempt } = record;
  if (ledger.running.includes(index)) throw new WorldlineError("step-running", { index, why: "deleted" });
  await ledger.move(async () => {
    // The tombstone first: after a crash in between, the checkpoint is gone, and only its room is not free yet.
    await ledger.note({ kind: "checkpoint-delete", index, attempt });
    ledger.records.delete(record);
    await freeValues(ledger, store, record);
  }, "another-deleted");
  return true;
}

const VALUES = ["state", "context", "variables", "metadata", "output", "error"] as const;

/** Takes the values of an attempt out of the log, as `forget` does. That it was there, and how it ended, stays. */
async function freeValues(
  { session, clock }: StepLedger,
  store: LogStore,
  { lines }: StepRecord,
): Promise<void> {
  const at = new Date(clock.now()).toISOString();
  const own = new Set<number>(lines);
  await session.published();
  await store.rewrite(session.id, (entry) =>
    own.has(entry.seq) && entry.kind === "saved" ? withoutValues(entry, at) : entry,
  );
  await session.republish();
}

function withoutValues(entry: EntryOf<"saved">, at: string): Entry {
  const held = VALUES.filter((field) => entry[field] !== undefined);
  if (held.length === 0) return entry;
  const rest = Object.fromEntries(
    Object.entries(entry).filter(([field]) => !(held as readonly string[]).includes(field)),
  ) as unknown as EntryOf<"saved">;
  return { ...rest, forgotten: { at, times: (entry.forgotten?.times ?? 0) + held.length } };
}
