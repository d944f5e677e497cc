import type { Lease } from "../../src/ports/lease.ts";
import type { LogStore } from "../../src/ports/log-store.ts";
import type { Entry } from "../../src/record/entry.ts";
import { isWorldlineError } from "../../src/record/error.ts";
import type { BlobHash } from "../../src/record/ids.ts";
import { textPart } from "../../src/record/parts.ts";
import { Story } from "../../src/testing/testing.ts";

/** What must still exist after a crash, and what may exist. */
export class Ledger {
  /** The entries as they were last acknowledged. */
  readonly acknowledged: Entry[] = [];
  /** Entries that were sent but not acknowledged: each may be there, whole and in its place, or missing. */
  underway: readonly Entry[] = [];
  /** A rewrite that was requested but not acknowledged: each entry may be in its old or its new form. */
  rewriting: (entry: Entry) => Entry = (entry) => entry;
  readonly blobs: { hash: BlobHash; bytes: Buffer }[] = [];
}

/** One call to the store. If it rejects, the same step may be repeated. */
export interface Step {
  readonly name: string;
  run(): Promise<void>;
}

export interface Scene {
  readonly story: Story;
  readonly ledger: Ledger;
  readonly steps: readonly Step[];
}

const LONG = "A line that is longer than one sector of a disk. ".repeat(30);
const forget = (entry: Entry): Entry =>
  entry.kind === "prompt" && entry.forgotten === undefined
    ? { ...entry, parts: [textPart("[forgotten]")], forgotten: { at: entry.at, times: 1 } }
    : entry;

/** Every operation that a session's files go through, one after the other. */
export function script(open: () => LogStore): Scene {
  const story = new Story();
  const ledger = new Ledger();
  const { session } = story;
  let store = open();
  let lease: Lease | undefined;

  const first = story.begin();
  const create: Step = {
    name: "create",
    run: async () => {
      const isAgain = ledger.underway.length > 0;
      ledger.underway = [first];
      await store.create(first).catch((error: unknown) => {
        // If the session's name could neither be made durable nor be taken back, the session already exists
        // on the retry.
        if (!isAgain || !isWorldlineError(error, "SESSION_EXISTS")) throw error;
      });
      acknowledge([first]);
    },
  };
  const acknowledge = (entries: readonly Entry[]) => {
    ledger.acknowledged.push(...entries);
    ledger.underway = [];
  };
  const append = (...entries: [Entry, ...Entry[]]): Step => ({
    name: `append ${entries.length}`,
    run: async () => {
      ledger.underway = entries;
      await store.append(session, entries[0].seq, entries);
      acknowledge(entries);
    },
  });
  const rotate = (entry: ReturnType<Story["rotated"]>): Step => ({
    name: `rotate to file ${entry.file}`,
    run: async () => {
      ledger.underway = [entry];
      await store.rotate(session, entry);
      acknowledge([entry]);
    },
  });
  const blob = (bytes: Buffer): Step => ({
    name: "putBlob",
    run: async () => {
      ledger.blobs.push({ hash: await store.putBlob(session, bytes), bytes });
    },
  });
  const rewrite: Step = {
    name: "rewrite",
    run: async () => {
      ledger.rewriting = forget;
      // The rewrite also removes blobs that no entry refers to.
      ledger.blobs.splice(0);
      await store.rewrite(session, forget);
      ledger.acknowledged.splice(0, ledger.acknowledged.length, ...ledger.acknowledged.map(forget));
      ledger.rewriting = (entry) => entry;
    },
  };
  const hold: Step = {
    name: "lease",
    run: async () => {
      lease = await store.lease(session, { name: "script", waitMs: 0 });
    },
  };
  const recover: Step = { name: "recover", run: async () => void (await store.recover(session)) };
  const openIt: Step = { name: "open", run: async () => void (await store.open(session)) };
  const release: Step = { name: "release", run: async () => lease?.release() };
  const reopen: Step = {
    name: "close",
    run: async () => {
      await store.close();
      store = open();
    },
  };
  const publish: Step = {
    name: "publish",
    run: async () =>
      store.publish(session, [{ id: "1", timestamp: first.at, description: "one", sessionId: session }]),
  };
  // A failed attempt may already have moved the session without making that durable, so the retry finds it in
  // the trash.
  const trash: Step = {
    name: "trash",
    run: async () => {
      if ((await store.listTrash()).length === 0) await store.trash(session, 1);
    },
  };
  const undelete: Step = {
    name: "undelete",
    run: async () => {
      if ((await store.list()).length === 0) await store.undelete(session);
    },
  };

  const steps = [
    create,
    hold,
    recover,
    openIt,
    append(story.prompt("short")),
    append(story.reply(LONG), story.step(), story.prompt(LONG)),
    blob(Buffer.from("a blob ".repeat(300))),
    append(story.checkpoint()),
    rotate(story.rotated(2)),
    append(story.prompt(LONG), story.reply("short")),
    publish,
    rotate(story.rotated(3)),
    append(story.prompt("last before the secret goes")),
    release,
    // Leaves an index on disk, which must not survive once its positions have become invalid.
    reopen,
    hold,
    recover,
    rewrite,
    append(story.prompt("after"), story.reply(LONG)),
    blob(Buffer.from("another blob")),
    release,
    reopen,
    hold,
    recover,
    append(story.reply("in a second life")),
    trash,
    undelete,
    hold,
    append(story.prompt("back from the trash")),
    release,
    reopen,
  ];
  return { story, ledger, steps };
}
