import { expect, it } from "vitest";
import { createSession, viewSession } from "../../../src/machine/open.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { CommitUnknown, type Database } from "../../../src/stores/sql/database.ts";
import { ManualClock, rejectsWith, Story } from "../../../src/testing/testing.ts";
import { type SqliteSubject, sqliteSubject } from "./sqlite-subject.ts";

const said = { name: "the database", why: "the line is cut" };

/** The errors to throw once the connection is gone for good. */
const cutLine = {
  STORE_UNREACHABLE: new WorldlineError("postgres-lost", said),
  STORE_BUSY: new WorldlineError("postgres-busy", said),
  STORE_UNREADABLE: new WorldlineError("postgres-failed-while-reading", said),
};
type CutCode = keyof typeof cutLine;

/** How the next transactions lose their connection: before their commit arrived, or right after. */
type Loss = "before" | "after";

interface Line {
  readonly losses: Loss[];
  /** If set, every further call fails with this error. */
  cut?: CutCode | undefined;
  /** Runs at the moment of a loss, before the outcome can be asked for. */
  meanwhile?: () => Promise<void>;
}

function losing(database: Database, line: Line): Database {
  const cut = (): void => {
    if (line.cut !== undefined) throw cutLine[line.cut];
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
  const line: Line = { losses: [] };
  const subject = sqliteSubject({ around: (database) => losing(database, line) });
  try {
    await work(subject, line);
  } finally {
    line.cut = undefined;
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

/** The next commit arrives but its answer does not, and nothing gets through after that. */
function cutAfterCommit(line: Line, code: CutCode): void {
  line.losses.push("after");
  line.meanwhile = async () => {
    line.cut = code;
  };
}

const CODES = ["STORE_UNREACHABLE", "STORE_BUSY", "STORE_UNREADABLE"] as const;

it.each(CODES)(
  "an append whose fate could not be asked (%s) is done when it is made again, once",
  async (code) => {
    await withLosses(async (subject, line) => {
      const { store } = subject;
      const story = new Story();
      await store.create(story.begin());
      const entries = [story.prompt("one"), story.prompt("two")];
      cutAfterCommit(line, code);
      await rejectsWith(code, store.append(story.session, toSeq(2), entries));
      line.cut = undefined;
      await store.append(story.session, toSeq(2), entries);
      await rejectsWith("SEQ_CONFLICT", store.append(story.session, toSeq(2), entries));
      expect(await subject.another().read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
    });
  },
);

it.each(CODES)(
  "what has come after it meanwhile is appended with it (%s), also after a second loss",
  async (code) => {
    await withLosses(async (subject, line) => {
      const { store } = subject;
      const story = new Story();
      await store.create(story.begin());
      const lease = await store.lease(story.session, { name: "the holder", waitMs: 0 });
      const entries = [story.prompt("one")];
      for (const text of ["two", "three"]) {
        cutAfterCommit(line, code);
        await rejectsWith(code, store.append(story.session, toSeq(2), entries));
        line.cut = undefined;
        entries.push(story.prompt(text));
      }
      await store.append(story.session, toSeq(2), entries);
      const next = story.prompt("four");
      await store.append(story.session, next.seq, [next]);
      await lease.release();
      expect(await subject.another().read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
    });
  },
);

it("one that did not happen after all is appended whole, with what has come after it", async () => {
  await withLosses(async (subject, line) => {
    const { store } = subject;
    const story = new Story();
    await store.create(story.begin());
    const entries = [story.prompt("one")];
    cutAfterCommit(line, "STORE_BUSY");
    line.losses[0] = "before";
    await rejectsWith("STORE_BUSY", store.append(story.session, toSeq(2), entries));
    line.cut = undefined;
    await store.append(story.session, toSeq(2), [...entries, story.prompt("two")]);
    expect(await subject.another().read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
  });
});

it("one after which another program has written is not continued", async () => {
  await withLosses(async ({ store, another }, line) => {
    const story = new Story();
    await store.create(story.begin());
    const other = another();
    const [one, theirs] = [story.prompt("one"), story.prompt("theirs")];
    const two = { ...story.prompt("two"), seq: theirs.seq };
    cutAfterCommit(line, "STORE_UNREACHABLE");
    await rejectsWith("STORE_UNREACHABLE", store.append(story.session, toSeq(2), [one]));
    line.cut = undefined;
    await other.append(story.session, theirs.seq, [theirs]);
    await rejectsWith("SEQ_CONFLICT", store.append(story.session, toSeq(2), [one, two]));
    expect(await other.read(story.session, toSeq(2), toSeq(9))).toEqual([one, theirs]);
  });
});

it.each(CODES)("a session continues after it, with everything that waited (%s)", async (code) => {
  await withLosses(async (subject, line) => {
    const clock = new ManualClock({ seed: 7 });
    const session = await createSession(
      { store: subject.store, clock },
      { workspace: "/work" },
      { name: "a test" },
    );
    cutAfterCommit(line, code);
    await expect(session.prompt("one")).rejects.toMatchObject({ code });
    await expect(session.prompt("two")).rejects.toMatchObject({ code });
    line.cut = undefined;
    await session.prompt("three");
    await session.close();
    const view = await viewSession(subject.another(), session.id);
    const prompts = view.outline.ofKind("prompt");
    expect(prompts).toHaveLength(3);
    expect(await subject.store.verify(session.id)).toEqual([]);
  });
});

it("another program's lines are never taken for one's own", async () => {
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
    expect(error.hint).toContain("Everything that was already written is safe");
    expect(await store.read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries.slice(0, 1));
  });
});
