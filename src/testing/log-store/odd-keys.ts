import assert from "node:assert/strict";
import type { LogStore } from "../../ports/log-store.ts";
import { type BlobHash, type SessionId, toSeq } from "../../record/ids.ts";
import { Story, sessionNumber } from "../story.ts";
import { beginSession } from "./listing.ts";
import { type ContractCase, type ContractGroup, rejectsWith } from "./subject.ts";

const KEYS: Readonly<Record<string, unknown>> = {
  "a path out of the folder": "../../evil",
  "an empty string": "",
  "100,000 characters": "s".repeat(100_000),
  "a NUL at the end": "s000000001\0",
  "a NUL in the middle": "s0000\u000000001",
  "a line break at the end": "s000000001\n",
  "a lone surrogate": "s00000000\ud800",
  "the same id in capitals": "S000000001",
  "a pattern that matches everything": "%",
  "a quote": "s'; DELETE",
  "undefined instead of a string": undefined,
  "null instead of a string": null,
  "a number instead of a string": 1,
  "an array instead of a string": ["s000000001"],
  "an object instead of a string": { id: "s000000001" },
  "an id that was never used": "zzzzzzzzzz",
};

const calls: Readonly<Record<string, (store: LogStore, session: SessionId) => Promise<unknown>>> = {
  open: async (store, session) => store.open(session),
  recover: async (store, session) => store.recover(session),
  append: async (store, session) => store.append(session, toSeq(2), [entry()]),
  rotationDue: async (store, session) => store.rotationDue(session),
  rotate: async (store, session) => store.rotate(session, rotation()),
  read: async (store, session) => store.read(session, toSeq(1), toSeq(1)),
  verify: async (store, session) => store.verify(session),
  stamp: async (store, session) => store.stamp(session),
  sizes: async (store, session) => store.sizes(session),
  holder: async (store, session) => store.holder(session),
  lease: async (store, session) => store.lease(session, { name: "test", waitMs: 0 }),
  putBlob: async (store, session) => store.putBlob(session, Buffer.from("x")),
  getBlob: async (store, session) => store.getBlob(session, "0".repeat(64) as BlobHash),
  listBlobs: async (store, session) => store.listBlobs(session),
  trash: async (store, session) => store.trash(session, 1000),
  undelete: async (store, session) => store.undelete(session),
  scraps: async (store, session) => store.scraps(session),
  rewrite: async (store, session) => store.rewrite(session, (each) => each),
  publish: async (store, session) => store.publish(session, []),
};

function entry() {
  const story = new Story();
  story.begin();
  return story.prompt("for nobody");
}

function rotation() {
  const story = new Story();
  story.begin();
  return story.rotated(2);
}

/** Calls every method with every key, while one session exists. */
const everywhere: ContractCase[] = Object.entries(calls).map(([name, call]) => ({
  title: `${name} finds no session for any of them, and creates nothing`,
  run: async ({ store }) => {
    const story = new Story();
    await store.create(story.begin());
    const before = await store.stamp(story.session);
    for (const [what, key] of Object.entries(KEYS)) {
      const { message } = await rejectsWith("SESSION_UNKNOWN", call(store, key as SessionId));
      assert.ok(message.length < 1000, `${what}: a message of ${message.length} characters`);
    }
    assert.deepEqual(await store.list(), [story.session]);
    assert.equal(await store.stamp(story.session), before);
    assert.deepEqual([await store.listTrash(), await store.listRemnants()], [[], []]);
  },
}));

export const oddKeys: ContractGroup = {
  title: "keys that do not belong to a session",
  cases: [
    ...everywhere,
    {
      title: "create refuses each of them, and creates nothing",
      run: async ({ store }) => {
        for (const [what, key] of Object.entries(KEYS)) {
          if (key === "zzzzzzzzzz") continue;
          const { message } = await rejectsWith("ENTRY_INVALID", store.create(new Story(idOf(key)).begin()));
          assert.ok(message.length < 1000, `${what}: a message of ${message.length} characters`);
        }
        assert.deepEqual(await store.list(), []);
        assert.deepEqual([await store.listTrash(), await store.listRemnants()], [[], []]);
      },
    },
    {
      title: "sessions with similar ids share nothing",
      run: async ({ store }) => {
        const [one, ten] = ["exec000001", "exec000010"].map((id) => new Story(id as SessionId));
        if (one === undefined || ten === undefined) return;
        for (const story of [one, ten]) await store.create(story.begin());
        const hash = await store.putBlob(one.session, Buffer.from("of the first"));
        await rejectsWith("BLOB_MISSING", store.getBlob(ten.session, hash));
        const lease = await store.lease(one.session, { name: "of the first", waitMs: 0 });
        assert.equal(await store.holder(ten.session), undefined);
        await lease.release();
        await store.trash(one.session, 1000);
        assert.deepEqual(await store.list(), [ten.session]);
        await rejectsWith("SESSION_UNKNOWN", store.undelete(ten.session));
        await store.emptyTrash(2000);
        assert.deepEqual(await store.read(ten.session, toSeq(1), toSeq(9)), ten.entries);
        assert.deepEqual(await store.list({ after: sessionNumber(1) }), []);
      },
    },
  ],
};

/**
 * Returns the key as an id. Undefined becomes null, because a `Story` would replace an undefined id with its own id.
 */
function idOf(key: unknown): SessionId {
  return (key === undefined ? null : key) as SessionId;
}

const LONG = "x".repeat(100 * 1024);

/** Workspaces that are all different, although some of them differ only slightly. */
const WORKSPACES: readonly string[] = [
  "/a/b",
  "/a/b/",
  "/a/B",
  "/a/b ",
  " /a/b",
  "/a/b\n",
  "/a",
  "/a/b\0",
  "/a/b\0c",
  "/a/\ud800",
  "/a/\udc00",
  "/a/\ufffd",
  "/a/\u00e9",
  "/a/e\u0301",
  `/${LONG}`,
  `/${LONG}y`,
  "%",
  "_",
  "/a/%",
  "/_/b",
  "'",
  '"',
  "\\",
  "%_'\"\\",
  "'; DROP TABLE worldline_sessions; --",
  "C:\\Users\\me",
  "0",
  "null",
];

export const oddWorkspaces: ContractGroup = {
  title: "workspaces of every kind",
  cases: [
    {
      title: "are distinguished down to the last character",
      run: async ({ store, another }) => {
        for (const [at, workspace] of WORKSPACES.entries())
          await beginSession(store, { number: at + 1, workspace });
        for (const each of [store, another()]) {
          for (const [at, workspace] of WORKSPACES.entries()) {
            const found = await each.list({ workspace });
            assert.deepEqual(found, [sessionNumber(at + 1)], JSON.stringify(workspace.slice(0, 40)));
          }
        }
      },
    },
    {
      title: "are read back unchanged",
      run: async ({ store, another }) => {
        const other = another();
        for (const [at, workspace] of WORKSPACES.entries()) {
          const session = await beginSession(store, { number: at + 1, workspace });
          const [first] = await other.read(session, toSeq(1), toSeq(1));
          assert.equal(first?.kind === "session" ? first.workspace : undefined, workspace);
        }
      },
    },
    {
      title: "that no session has find nothing, whatever they look like",
      run: async ({ store }) => {
        await beginSession(store, { number: 1, workspace: "/a/b" });
        for (const workspace of WORKSPACES.filter((each) => each !== "/a/b"))
          assert.deepEqual(await store.list({ workspace }), []);
        assert.deepEqual(await store.list({ workspace: "" }), []);
      },
    },
  ],
};
