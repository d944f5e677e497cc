import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defaultHome } from "../src/disk/folders.ts";
import { forkSession } from "../src/machine/journeys/fork.ts";
import { type OpenSessionOptions, openSession } from "../src/open-session.ts";
import { inTempFolder } from "../src/testing/testing.ts";
import { openSessionDeps } from "./machine/deps.ts";

describe("opening a session of a folder", () => {
  it("is refused, in our words, where the folder is not there", async () => {
    const { store } = openSessionDeps();
    await expect(openSession({ store, workspace: "/no/such/folder" })).rejects.toMatchObject({
      code: "WORKSPACE_UNUSABLE",
      hint: expect.stringContaining("workspace"),
    });
  });

  it("keeps sessions in the home folder when WORLDLINE_HOME is set to nothing", () => {
    const before = process.env["WORLDLINE_HOME"];
    process.env["WORLDLINE_HOME"] = "";
    expect(defaultHome()).toMatch(/\.worldline$/u);
    process.env["WORLDLINE_HOME"] = before;
  });

  it("takes a title that fits on a line, and no other", async () => {
    const { store } = openSessionDeps();
    await inTempFolder(async (workspace) => {
      const session = await openSession({ store, workspace });
      await expect(session.retitle("two\nlines")).rejects.toMatchObject({ code: "INPUT_INVALID" });
      await session.retitle("  The leak ");
      expect(await session.title()).toBe("The leak");
      await session.close();
    });
  });
});

async function begun(options: { readonly home: string; readonly workspace: string }) {
  const session = await openSession(options);
  return { id: session.id, close: async () => session.close() };
}

describe("opening the latest session", () => {
  it("opens a fresh fork rather than what it was forked from", async () => {
    await inTempFolder(async (workspace) => {
      const { store, clock } = openSessionDeps();
      const source = await openSession({ store, workspace });
      await source.prompt("find the leak");
      await source.close();
      const later = {
        ...clock,
        now: () => Date.now() + 1000,
        random: (count: number) => clock.random(count),
      };
      const fork = await forkSession({ store, clock: later }, source);
      const latest = await openSession({ store, workspace, resume: "latest" });
      expect(latest.id).toBe(fork);
      await latest.close();
    });
  });

  it("is refused if there is none", async () => {
    await inTempFolder(async (workspace) => {
      const { store } = openSessionDeps();
      await expect(openSession({ store, workspace, resume: "latest" })).rejects.toMatchObject({
        code: "SESSION_UNKNOWN",
        hint: expect.stringContaining("openSession"),
      });
    });
  });
});

describe("resuming a session", () => {
  it("opens the files of its own folder, whatever folder it is resumed from", async () => {
    await inTempFolder(async (home) => {
      await inTempFolder(async (workspace) => {
        const { id, close } = await begun({ home, workspace });
        await close();
        await inTempFolder(async (elsewhere) => {
          const session = await openSession({ home, workspace: elsewhere, resume: id, files: "on" });
          writeFileSync(join(workspace, "a"), "one");
          const to = await session.checkpoint();
          expect(await session.filesAt(to)).toMatchObject({ state: "complete" });
          writeFileSync(join(workspace, "a"), "two");
          await session.rewind({ to, scope: "files", choice: "take" });
          expect(readFileSync(join(workspace, "a"), "utf8")).toBe("one");
          await session.close();
        });
      });
    });
  });

  it("is refused with files where its folder is gone, and opens without", async () => {
    await inTempFolder(async (home) => {
      const { id, close } = await inTempFolder(async (workspace) => begun({ home, workspace }));
      await close();
      await expect(openSession({ home, workspace: home, resume: id, files: "on" })).rejects.toMatchObject({
        code: "WORKSPACE_UNUSABLE",
        hint: expect.stringContaining('files: "off"'),
      });
      const session = await openSession({ home, workspace: home, resume: id });
      await session.close();
    });
  });
});

describe("taking over a session", () => {
  /** A session whose lock names a program on another machine. */
  async function heldElsewhere(home: string) {
    const workspace = join(home, "workspace");
    mkdirSync(workspace);
    const session = await openSession({ home, workspace });
    const lock = join(home, "sessions", session.id, "lock");
    const owner = { ...(JSON.parse(readFileSync(lock, "utf8")) as object), host: "laptop", boot: "another" };
    await session.close();
    writeFileSync(lock, JSON.stringify(owner));
    return { id: session.id, workspace };
  }

  it("from a program that cannot be asked needs takeOver", async () => {
    await inTempFolder(async (home) => {
      const { id, workspace } = await heldElsewhere(home);
      const options = { home, workspace, resume: id };
      await expect(openSession(options)).rejects.toMatchObject({
        code: "SESSION_HELD",
        message: expect.stringContaining("on laptop"),
        hint: expect.stringContaining("takeOver"),
      });
      await expect(openSession({ ...options, takeOver: "unreadable" })).rejects.toMatchObject({
        code: "SESSION_HELD",
      });
      const session = await openSession({ ...options, takeOver: "yes" });
      expect(session.takenFrom?.host).toBe("laptop");
      await session.close();
    });
  });

  it("from a living program here is still refused", async () => {
    await inTempFolder(async (home) => {
      const session = await openSession({ home, workspace: home });
      await expect(
        openSession({ home, workspace: home, resume: session.id, takeOver: "yes" }),
      ).rejects.toMatchObject({ code: "SESSION_HELD" });
      await session.close();
    });
  });

  it("is refused when it is neither of its words", async () => {
    const options = { takeOver: true } as unknown as OpenSessionOptions;
    await expect(openSession(options)).rejects.toMatchObject({ code: "INPUT_INVALID" });
  });
});
