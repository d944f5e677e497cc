import { expect, it } from "vitest";
import { WorldlineError } from "../../../src/record/error.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { CommitUnknown, type Database } from "../../../src/stores/sql/database.ts";
import { rejectsWith, Story } from "../../../src/testing/testing.ts";
import { type SqliteSubject, sqliteSubject } from "./sqlite-subject.ts";

/** How the next transactions lose their connection: before the commit came through, or right after. */
type Loss = "before" | "after";

interface Line {
  readonly losses: Loss[];
  /** From now on nothing comes through at all. */
  isCut: boolean;
  /** What happens at the moment of a loss, before anybody can ask. */
  meanwhile?: () => Promise<void>;
}

function losing(database: Database, line: Line): Database {
  const cut = (): void => {
    if (line.isCut) throw new WorldlineError("STORE_UNREACHABLE", "The line is cut.");
  };
  const write: Database["write"] = async (work) => {
    cut();
    const loss = line.losses.shift();
    if (loss === undefined) return database.write(work);
    const lost = new CommitUnknown(new Error(`lost ${loss} the commit`));
    await database
      .write(async (transaction) => {
        await work(transaction);
        if (loss === "before") throw lost;
      })
      .catch((error: unknown) => {
        if (error !== lost) throw error;
      });
    await line.meanwhile?.();
    throw lost;
  };
  return {
    read: async (work) => {
      cut();
      return database.read(work);
    },
    write,
    exists: async () => database.exists(),
    scrub: async () => database.scrub(),
    now: async (transaction) => database.now(transaction),
    close: async () => database.close(),
  };
}

async function withLosses(work: (subject: SqliteSubject, line: Line) => Promise<void>): Promise<void> {
  const line: Line = { losses: [], isCut: false };
  const subject = sqliteSubject({ around: (database) => losing(database, line) });
  try {
    await work(subject, line);
  } finally {
    line.isCut = false;
    await subject.remove();
  }
}

it("everything is done once, whenever the connection is lost at its commit", async () => {
  for (const losses of [["after"], ["before"], ["before", "before", "after"]] as const) {
    await withLosses(async ({ store, another }, line) => {
      const story = new Story();
      const lose = (): void => {
        line.losses.push(...losses);
      };
      lose();
      await store.create(story.begin());
      lose();
      const lease = await store.lease(story.session, { name: "the holder", waitMs: 0 });
      lose();
      await store.append(story.session, toSeq(2), [story.prompt("one"), story.prompt("two")]);
      lose();
      const hash = await store.putBlob(story.session, Buffer.from("a blob"));
      lose();
      await store.publish(story.session, []);
      expect(await store.read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
      const before = await store.stamp(story.session);
      lose();
      await store.rewrite(story.session, (entry) => entry);
      expect(await store.stamp(story.session)).not.toBe(before);
      lose();
      await lease.release();
      expect(await store.holder(story.session)).toBeUndefined();
      lose();
      await store.trash(story.session, 1000);
      expect(await store.listTrash()).toEqual([{ session: story.session, at: 1000 }]);
      lose();
      await store.undelete(story.session);
      expect(await another().read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
      expect(await another().listBlobs(story.session)).toEqual([]);
      expect(hash).toHaveLength(64);
      await store.trash(story.session, 2000);
      lose();
      expect(await store.emptyTrash(3000)).toEqual([story.session]);
      expect(line.losses).toEqual([]);
    });
  }
});

it("an append that was not known to have happened is done when it is made again, once", async () => {
  await withLosses(async (subject, line) => {
    const { store } = subject;
    const story = new Story();
    await store.create(story.begin());
    const entries = [story.prompt("one"), story.prompt("two")];
    line.losses.push("after");
    line.meanwhile = async () => {
      line.isCut = true;
    };
    await rejectsWith("STORE_UNREACHABLE", store.append(story.session, toSeq(2), entries));
    line.isCut = false;
    await store.append(story.session, toSeq(2), entries);
    await rejectsWith("SEQ_CONFLICT", store.append(story.session, toSeq(2), entries));
    expect(await subject.another().read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
  });
});

it("somebody else's lines are never taken for one's own", async () => {
  await withLosses(async ({ store, another }, line) => {
    const story = new Story();
    await store.create(story.begin());
    const [mine, theirs] = [story.prompt("mine"), { ...story.prompt("theirs"), seq: toSeq(2) }];
    const other = another();
    line.losses.push("before");
    line.meanwhile = async () => other.append(story.session, toSeq(2), [theirs]);
    await rejectsWith("SEQ_CONFLICT", store.append(story.session, toSeq(2), [mine]));
    expect(await other.read(story.session, toSeq(2), toSeq(9))).toEqual([theirs]);
  });
});

it("a connection that is lost each time is an error with a hint, and nothing has happened", async () => {
  await withLosses(async ({ store }, line) => {
    const story = new Story();
    await store.create(story.begin());
    line.losses.push(...Array.from({ length: 5 }, (): Loss => "before"));
    const error = await rejectsWith(
      "STORE_UNREACHABLE",
      store.append(story.session, toSeq(2), [story.prompt("one")]),
    );
    expect(error.hint).toContain("Nothing that was written before is lost");
    expect(await store.read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries.slice(0, 1));
  });
});
