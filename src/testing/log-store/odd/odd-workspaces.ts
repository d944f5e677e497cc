import assert from "node:assert/strict";
import { toSeq } from "../../../record/ids.ts";
import { sessionNumber } from "../../story.ts";
import { beginSession } from "../listing/begin-session.ts";
import type { ContractGroup } from "../subject.ts";

const LONG = "x".repeat(100 * 1024);

/** Each differs from every other, if only a little. */
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
      title: "are told apart to the last character",
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
      title: "are read back as they were given",
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
      title: "that no session has find nothing, however they look",
      run: async ({ store }) => {
        await beginSession(store, { number: 1, workspace: "/a/b" });
        for (const workspace of WORKSPACES.filter((each) => each !== "/a/b"))
          assert.deepEqual(await store.list({ workspace }), []);
        assert.deepEqual(await store.list({ workspace: "" }), []);
      },
    },
  ],
};
