import { describe, expect, it } from "vitest";
import { isFound, searchSessions } from "../../../src/app/sessions/search.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { type SessionId, toSeq } from "../../../src/record/ids.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { Story, sessionNumber } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";

async function tell(store: LogStore, number: number, workspace: string, ...prompts: readonly string[]) {
  const story = new Story(sessionNumber(number));
  await store.create(story.begin(workspace));
  await store.append(
    story.session,
    toSeq(2),
    prompts.map((text) => story.prompt(text)),
  );
}

/** Two sessions of the workspace, and one of another. */
async function place(session?: SessionId) {
  const { home, workspace } = playground();
  const store = openMemoryStore();
  await tell(store, 1, workspace, "find the leak", "and the Leak after it");
  await tell(store, 2, workspace, "write a test", "for the leak", "now");
  await tell(store, 3, "/other", "another leak", "1", "2", "3");
  const common = session === undefined ? {} : { session };
  const recorded = recordingContext({ home, workspace }, { common, store });
  const search = async (text: string, reach: "here" | "everywhere" = "here") => {
    const seen: (readonly [number, number])[] = [];
    const { hits, broken } = await searchSessions(recorded.context, {
      text,
      reach,
      onSession: (at, all) => seen.push([at, all]),
    });
    const found: string[] = [];
    for await (const { hit, view } of hits) found.push(`${view.id}: ${hit.excerpt}`);
    return { seen, found, broken };
  };
  return { ...recorded, store, search };
}

describe("a search", () => {
  it("goes through the workspace's sessions, the last used one first", async () => {
    const { search, notices } = await place();
    expect(await search("LEAK")).toEqual({
      seen: [
        [1, 2],
        [2, 2],
      ],
      found: ["s000000002: for the leak", "s000000001: find the leak", "s000000001: and the Leak after it"],
      broken: [],
    });
    expect((await search("another", "everywhere")).seen).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    expect(notices).toEqual([]);
  });

  it("goes through the one session that is named, wherever it works", async () => {
    const { search } = await place(sessionNumber(3));
    expect(await search("leak")).toEqual({
      seen: [[1, 1]],
      found: ["s000000003: another leak"],
      broken: [],
    });
  });

  it("stops when the caller has enough", async () => {
    const { context } = await place();
    const seen: number[] = [];
    const request = { text: "leak", reach: "here", onSession: (at: number) => seen.push(at) } as const;
    for await (const { hit } of (await searchSessions(context, request)).hits) {
      expect(hit.seq).toBe(3);
      break;
    }
    expect(seen).toEqual([1]);
  });

  it("names the sessions that it could not read or only in part, and needs a text", async () => {
    const { context, notices, store, search } = await place();
    const damage = [{ what: "line", file: "", line: 9, bytes: 1, why: "It is damaged." }] as const;
    const problem = new WorldlineError("stated", { code: "STORE_UNREADABLE", message: "It is asleep." });
    const { open } = store;
    store.open = async (id) => {
      if (id === sessionNumber(1)) throw problem;
      return { ...(await open(id)), damage };
    };
    expect(await search("leak")).toEqual({
      seen: [[1, 1]],
      found: ["s000000002: for the leak"],
      broken: [{ id: sessionNumber(1), why: "It is asleep.", reason: "stated", params: problem.params }],
    });
    expect(notices).toEqual([{ code: "session-damaged", session: sessionNumber(2), count: 1 }]);
    const request = { text: " \n", reach: "here", onSession: () => undefined } as const;
    await expect(searchSessions(context, request)).rejects.toEqual(
      new WorldlineError("nothing-to-look-for", {}),
    );
  });
});

describe("a session in a filtered list", () => {
  it("is found by its title or by its text, but not by what every session says", async () => {
    const { store } = await place();
    const row = { id: sessionNumber(1), title: "The Title" };
    const found = async (text: string) => isFound(store, row, text);
    expect({
      title: await found(" the tit "),
      text: await found(" AFTER "),
      empty: await found(" "),
      other: await found("write a test"),
      system: await found("helpful agent"),
    }).toEqual({ title: true, text: true, empty: true, other: false, system: false });
  });
});
