import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/disk/system-clock.ts";
import { authorOf } from "../../src/finder/author.ts";
import { statesOf } from "../../src/finder/states.ts";
import { viewSession } from "../../src/machine/open.ts";
import { openWorkspaceFiles } from "../../src/open-files.ts";
import { openSession } from "../../src/open-session.ts";
import { openFilesStore } from "../../src/stores/files/files.ts";
import { tempFolder } from "../../src/testing/temp-folder.ts";

async function stage() {
  const { path: root, remove } = tempFolder();
  onTestFinished(remove);
  const [home, workspace] = [join(root, "home"), join(root, "workspace")];
  mkdirSync(workspace);
  const files = await openWorkspaceFiles({ workspace, home, threads: "none" });
  onTestFinished(async () => files.close());
  const store = openFilesStore({ root: home, clock: systemClock });
  return {
    files,
    open: async () => openSession({ home, workspace, files: "on" }),
    put: (path: string, content: string) => writeFileSync(join(workspace, path), content),
    async look(...sessions: readonly Awaited<ReturnType<typeof openSession>>[]) {
      for (const session of sessions) await session.close();
      const views = await Promise.all(sessions.map(({ id }) => viewSession(store, id)));
      const present = await files.capture({ look: "everything" });
      return { views, states: await statesOf({ views, files, present, now: Date.now() }) };
    },
  };
}

describe("the states of a workspace", () => {
  it("are those of all sessions by time, what did not change once, and the present last", async () => {
    const { open, put, look } = await stage();
    const [one, two] = [await open(), await open()];
    put("a", "1");
    await one.checkpoint();
    await two.checkpoint();
    put("a", "2");
    await two.checkpoint();
    put("a", "1");
    await one.checkpoint();
    put("a", "3");
    const { states } = await look(one, two);
    const places = states.map((state) => [
      state.kind,
      state.places.map(({ session, checkpoint }) => [session, checkpoint]),
    ]);
    expect(places).toEqual([
      [
        "then",
        [
          [one.id, 1],
          [two.id, 1],
        ],
      ],
      ["then", [[two.id, 2]]],
      ["then", [[one.id, 2]]],
      ["present", []],
    ]);
    expect(states[0]?.snapshot).toBe(states[2]?.snapshot);
  });

  it("are also those of branches that were left and those that journeys led to, and the present may be one of them", async () => {
    const { open, put, look } = await stage();
    const session = await open();
    put("a", "1");
    await session.checkpoint();
    put("a", "2");
    await session.checkpoint();
    await session.rewind({ to: 1, scope: "both" });
    await session.rewind({ to: 1, scope: "both", choice: "take" });
    await session.redo();
    await session.rewind({ to: 1, scope: "files", choice: "take" });
    put("a", "3");
    await session.checkpoint();
    const { states } = await look(session);
    expect(states.map(({ kind, places }) => [kind, places.map(({ checkpoint }) => checkpoint)])).toEqual([
      ["then", [1]],
      ["then", [2]],
      ["then", [1]],
      ["then", [2]],
      ["then", [1]],
      ["present", [3]],
    ]);
  });
});

describe("the author of a change between two states", () => {
  it("may be a user command, which is named as a tool's call is", async () => {
    const { open, put, look } = await stage();
    const session = await open();
    put("a", "1");
    await session.checkpoint();
    const input = { command: "sed -i s/1/2/ a" };
    await session.toolStart("shell-0123456789ab", "Shell", { input });
    put("a", "2");
    await session.toolEnd("shell-0123456789ab", "ok", "");
    await session.checkpoint(undefined, { author: "timeline" });
    const { states, views } = await look(session);
    const [green, red] = states;
    if (green === undefined || red === undefined) throw new Error("no states");
    expect(await authorOf({ views, green, red, paths: ["a"] })).toEqual({
      by: "tool",
      calls: [{ session: session.id, call: "shell-0123456789ab", name: "Shell", input, touches: "names" }],
    });
  });

  it("may be another session than the one whose checkpoint saw it first", async () => {
    const { open, put, look } = await stage();
    const [agent, other] = [await open(), await open()];
    put("a", "1");
    await other.checkpoint();
    for (const [call, path] of [
      ["c1", "b"],
      ["c2", "a"],
    ] as const) {
      const input = { file_path: path, content: "2" };
      await agent.reply({ model: "m", parts: [{ type: "tool-call", call, name: "Write", input }] });
      await agent.toolStart(call, "Write");
      put(path, "2");
      await agent.toolEnd(call, "ok", "");
    }
    await other.checkpoint();
    const { states, views } = await look(other, agent);
    const [green, red] = states;
    if (green === undefined || red === undefined) throw new Error("no states");
    const { by, calls } = await authorOf({ views, green, red, paths: ["a"] });
    expect([by, calls.map(({ call, touches, session }) => [call, touches, session])]).toEqual([
      "tool",
      [
        ["c2", "names", agent.id],
        ["c1", "other", agent.id],
      ],
    ]);
    expect(await authorOf({ views, green, red, paths: ["c"] })).toMatchObject({ by: "outside" });
  });
});
