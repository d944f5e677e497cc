import { describe, expect, it } from "vitest";
import {
  listSessions,
  ownSince,
  sessionRows,
  viewsOf,
  workspaceWanted,
} from "../../../src/app/sessions/session-rows.ts";
import { KeptReadings } from "../../../src/app/sessions/store.ts";
import { viewSession } from "../../../src/machine/open.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import type { EntryOf } from "../../../src/record/entry.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { type EntryId, toSeq } from "../../../src/record/ids.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { hinderedStore, Story, sessionNumber } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";

async function tell(store: LogStore, story: Story) {
  const [first, ...rest] = story.entries;
  await store.create(first as EntryOf<"session">);
  await store.append(story.session, toSeq(2), rest);
}

function story(number: number, workspace = "/w", more: Partial<EntryOf<"session">> = {}): Story {
  const told = new Story(sessionNumber(number));
  Object.assign(told.begin(workspace), more);
  return told;
}

const problem = new WorldlineError("stated", { code: "STORE_UNREADABLE", message: "It is asleep." });

/** The store, except that one session cannot be opened. */
function withBroken(store: LogStore, number: number, error: Error = problem): LogStore {
  return Object.assign(Object.create(store), {
    open: async (id: string) => {
      if (id === sessionNumber(number)) throw error;
      return store.open(sessionNumber(Number(id.slice(1))));
    },
  });
}
const broken = (number: number) => ({
  id: sessionNumber(number),
  why: "It is asleep.",
  reason: "stated",
  params: problem.params,
});

const second = (line: number) => Date.UTC(2026, 0, 1, 0, 0, line);

describe("the rows of a list of sessions", () => {
  it("count what users and models wrote, and are in the order of their last use", async () => {
    const store = openMemoryStore();
    await tell(store, story(1));
    const busy = story(2);
    const place = busy.checkpoint();
    busy.tell({ kind: "tool-start", call: "shell-1", name: "Bash", input: { command: "npm test" } });
    busy.prompt("find the\nleak");
    busy.reply("Found.");
    busy.checkpoint();
    busy.rewindTo(place);
    busy.reply("Again.");
    await tell(store, busy);
    const common = { workspace: "/w", mode: "agent", created: second(1), isNamedAsSource: false, damage: 0 };
    expect(await sessionRows(store, undefined)).toEqual({
      rows: [
        {
          ...common,
          id: sessionNumber(2),
          title: "find the leak",
          prompts: 1,
          entries: 8,
          checkpoints: 2,
          used: second(8),
          messages: 4,
        },
        {
          ...common,
          id: sessionNumber(1),
          title: "",
          prompts: 0,
          entries: 1,
          checkpoints: 0,
          used: second(1),
          messages: 0,
        },
      ],
      broken: [],
    });
  });

  it("say whether a fork still has the title of its source", async () => {
    const store = openMemoryStore();
    const forkedFrom = { session: sessionNumber(1), entry: "000000000001" as EntryId };
    const at = (line: number) => new Date(second(line)).toISOString();
    for (const [number, header, title] of [
      [2, { forkedFrom, at: at(2) }, "its own title"],
      [3, { forkedFrom, at: at(3) }, "the title of its source"],
      [4, { forkedFrom, at: at(9) }, undefined],
      [5, {}, "its own title"],
    ] as const) {
      const told = story(number, "/w", header);
      told.prompt("one");
      if (title !== undefined) told.title(title);
      await tell(store, told);
      const view = await viewSession(store, told.session);
      expect(ownSince(view)).toBe("at" in header ? Date.parse(header.at) : 0);
    }
    const { rows } = await sessionRows(store, undefined);
    const named = rows.map(({ id, isNamedAsSource }) => [id, isNamedAsSource]);
    expect(Object.fromEntries(named)).toEqual({
      [sessionNumber(2)]: false,
      [sessionNumber(3)]: true,
      [sessionNumber(4)]: true,
      [sessionNumber(5)]: false,
    });
  });

  it("are those of the workspace, those that name none, and those that cannot be read", async () => {
    const store = openMemoryStore();
    for (const [number, workspace] of [
      [1, "/w"],
      [2, "/other"],
      [3, "/w"],
    ] as const)
      await tell(store, story(number, workspace));
    const everything = Object.assign(withBroken(store, 3), {
      list: async () => [1, 2, 3].map(sessionNumber),
    });
    const { rows, broken: unread } = await sessionRows(everything, "/w");
    expect([rows.map(({ id }) => id), unread]).toEqual([[sessionNumber(1)], [broken(3)]]);
    expect((await sessionRows(withBroken(store, 2), "/w")).broken).toEqual([]);
    const lost = Object.assign(Object.create(everything), { read: async () => [] });
    expect((await sessionRows(lost, "/w")).rows.map(({ id }) => id)).toEqual([2, 1].map(sessionNumber));
    await expect(sessionRows(withBroken(store, 1, new TypeError("broken")), "/w")).rejects.toThrow("broken");
  });

  it("are read again only if their session has been written to or is gone", async () => {
    const store = openMemoryStore();
    await tell(store, story(1));
    await tell(store, story(2));
    const readings = new KeptReadings<never>();
    const before = await sessionRows(store, undefined, readings);
    const asleep = withBroken(store, 1);
    expect(await sessionRows(asleep, undefined, readings)).toEqual(before);
    const gone = Object.assign(Object.create(store), { list: async () => [1, 2, 3].map(sessionNumber) });
    expect(await sessionRows(gone, undefined, readings)).toEqual(before);
  });
});

describe("a session without a title or a prompt", () => {
  it.each([
    ["the user's first command", { name: "Bash", input: { command: "npm test" } }, "! npm test"],
    [
      "at most 80 characters of it",
      { name: "Bash", input: { command: "😀".repeat(99) } },
      `! ${"😀".repeat(80)}`,
    ],
    ["nothing, if the command is unknown", { name: "Bash" }, ""],
  ])("is named after %s", async (_, start, title) => {
    const store = openMemoryStore();
    const told = story(1);
    told.checkpoint();
    told.tell({ kind: "tool-start", call: "shell-1", ...start });
    await tell(store, told);
    const { rows } = await sessionRows(store, undefined);
    expect(rows.map((row) => row.title)).toEqual([title]);
  });
});

describe("a list of sessions", () => {
  async function listed(given: Parameters<typeof recordingContext>[1] = {}) {
    const place = playground();
    const { workspace } = place;
    const store = openMemoryStore();
    await tell(store, story(1, workspace));
    await tell(store, story(2, workspace, { task: { session: sessionNumber(1), call: "c1" } }));
    await tell(store, story(3, "/other"));
    await tell(store, story(4, workspace));
    await tell(store, story(5, workspace));
    await store.trash(sessionNumber(5), 1);
    const { context } = recordingContext(place, { store: withBroken(store, 4), ...given });
    return { workspace, context };
  }

  it("counts those of other workspaces and those in the trash", async () => {
    const { workspace, context } = await listed();
    const list = await listSessions(context, { reach: "here", subAgents: "listed" });
    const ids = list.rows.map(({ id }) => id);
    expect({ ...list, rows: ids }).toEqual({
      workspace,
      rows: [sessionNumber(2), sessionNumber(1)],
      broken: [broken(4)],
      elsewhere: 1,
      inTrash: 1,
    });
  });

  it("hides the sessions of sub-agents, or shows all workspaces", async () => {
    const { context } = await listed();
    const hidden = await listSessions(context, { reach: "here", subAgents: "hidden" });
    expect([hidden.rows.map(({ id }) => id), hidden.elsewhere]).toEqual([[sessionNumber(1)], 1]);
    const all = await listSessions(context, { reach: "everywhere", subAgents: "hidden" });
    expect({ ...all, rows: all.rows.map(({ id }) => id) }).toEqual({
      workspace: undefined,
      rows: [sessionNumber(3), sessionNumber(1)],
      broken: [broken(4)],
      elsewhere: 0,
      inTrash: 1,
    });
  });

  it("is of one workspace or of all, never both", async () => {
    const place = playground();
    const { context } = recordingContext(place);
    expect(await workspaceWanted(context, "here")).toBe(place.workspace);
    expect(await workspaceWanted(context, "everywhere")).toBeUndefined();
    const { context: named } = recordingContext(place, { common: { workspace: place.workspace } });
    expect(await workspaceWanted(named, "here")).toBe(place.workspace);
    await expect(workspaceWanted(named, "everywhere")).rejects.toEqual(
      new WorldlineError("reach-contradicts", { other: "--workspace" }),
    );
  });
});

describe("the views of sessions", () => {
  it("are those that the list has, most recently used first", async () => {
    const store = openMemoryStore();
    await tell(store, story(1));
    await tell(store, story(2));
    await tell(store, story(3, "/other"));
    const seen = async (workspace: string | undefined, from = store) => {
      const { views, broken: unread } = await viewsOf(from, workspace);
      return [views.map(({ id }) => id), unread];
    };
    expect(await seen("/w")).toEqual([[2, 1].map(sessionNumber), []]);
    expect(await seen(undefined)).toEqual([[3, 2, 1].map(sessionNumber), []]);
    expect(await seen("/w", withBroken(store, 2))).toEqual([[sessionNumber(1)], [broken(2)]]);
    const headless = hinderedStore(store, (call) => {
      if (call === "read") throw problem;
    });
    expect((await seen("/other", headless))[1]).toEqual([1, 2, 3].map(broken));
    const bug = new TypeError("broken");
    await expect(viewsOf(withBroken(store, 2, bug), "/w")).rejects.toBe(bug);
  });
});
