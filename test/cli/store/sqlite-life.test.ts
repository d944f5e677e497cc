import { existsSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openExecution } from "../../../src/open-execution.ts";
import { openSession } from "../../../src/open-session.ts";
import { openStore } from "../../../src/open-store.ts";
import { openModelServer, scripted } from "../../../src/testing/testing.ts";
import { playground } from "../support/command-line.ts";
import { workshop } from "../support/workshop.ts";

const ways = ["--store", "WORLDLINE_STORE"] as const;

/** A workshop whose sessions are in a database, which is configured in one of several ways. */
function shopWith(way: (typeof ways)[number]) {
  const shop = workshop();
  const database = join(shop.root, "sessions.db");
  const environment: Record<string, string> =
    way === "--store" ? {} : { WORLDLINE_STORE: `sqlite:${database}` };
  const given = way === "--store" ? ["--store", `sqlite:${database}`] : [];
  const ask = async (line: string, piped?: string) => {
    const words = [...given, "--json", ...line.split(" ")];
    const said = await shop.worldline(words, { environment, ...(piped === undefined ? {} : { piped }) });
    if (said.code !== 0) throw new Error(`${line}: ${said.stdout}${said.stderr}`);
    return JSON.parse(said.stdout);
  };
  const isInFiles = () => existsSync(join(shop.home, "sessions")) || existsSync(join(shop.home, "trash"));
  return { ...shop, database, ask, isInFiles };
}

describe.each(ways)("a session in SQLite, named by %s", (way) => {
  it("goes and comes back with its files", { timeout: 60_000 }, async () => {
    const { ask, put, files, isInFiles } = shopWith(way);
    put("a.txt", "one\n");
    const { session } = await ask("checkpoint first");
    put("a.txt", "two\n");
    put("b.txt", "new\n");
    await ask("checkpoint second");
    expect((await ask("checkpoints")).checkpoints.map(({ label }: { label: string }) => label)).toEqual([
      "second",
      "first",
    ]);
    await ask("label 2 renamed");
    expect((await ask("diff 1 2")).changes.map(({ path }: { path: string }) => path)).toEqual([
      "a.txt",
      "b.txt",
    ]);
    await ask("rewind 1 --yes");
    expect(files()).toEqual({ "a.txt": "one\n" });
    await ask("redo --yes");
    expect(files()).toEqual({ "a.txt": "two\n", "b.txt": "new\n" });
    const fork = await ask("fork --at 1");
    expect(fork.session).not.toBe(session);
    expect((await ask(`log --session ${session}`)).entries.length).toBeGreaterThan(3);
    for (const line of ["tree", "context", "stats", "why a.txt", "show 1:a.txt", "resume"])
      await ask(`${line} --session ${session}`);
    expect(isInFiles()).toBe(false);
  });

  it("is listed, shown, exported, deleted, brought back, imported and looked after", {
    timeout: 60_000,
  }, async () => {
    const { ask, put, root, isInFiles } = shopWith(way);
    put("a.txt", "one secret\n");
    const { session } = await ask("checkpoint first");
    await ask(`sessions rename ${session} mine`);
    expect((await ask("sessions list")).sessions).toMatchObject([{ id: session, title: "mine" }]);
    expect(await ask(`sessions show ${session}`)).toMatchObject({ id: session });
    await ask("sessions search mine");
    const bundle = join(root, "mine.bundle");
    await ask(`sessions export ${session} -o ${bundle}`);
    await ask(`sessions delete ${session}`);
    expect((await ask("sessions list")).sessions).toEqual([]);
    await ask(`sessions undelete ${session}`);
    expect((await ask("sessions list")).sessions).toHaveLength(1);
    await ask(`sessions delete ${session}`);
    await ask("sessions delete --empty-trash --yes");
    expect((await ask(`sessions import ${bundle}`)).session).toBe(session);
    await ask("forget secret --yes");
    expect(await ask("doctor --fix")).toMatchObject({ healthy: true });
    for (const line of ["store du", "store verify", "store gc --yes", "run -- true"]) await ask(line);
    expect(isInFiles()).toBe(false);
  });
});

describe("a database in the workspace itself", () => {
  it("is in no snapshot, and no rewind takes it back", async () => {
    const { worldline, put, files } = workshop();
    const store = ["--store", "sqlite:data/x.db"];
    put("data/a.txt", "one\n");
    await worldline([...store, "checkpoint", "first"]);
    put("data/a.txt", "two\n");
    await worldline([...store, "checkpoint", "second"]);
    const { code } = await worldline([...store, "rewind", "1", "--yes"]);
    expect(code).toBe(0);
    expect(files()["data/a.txt"]).toBe("one\n");
    const { stdout } = await worldline([...store, "checkpoints", "--json"]);
    expect(JSON.parse(stdout).checkpoints).toHaveLength(2);
    const { stdout: shown } = await worldline([...store, "diff", "1", "2", "--json"]);
    expect(JSON.parse(shown).changes.map(({ path }: { path: string }) => path)).toEqual(["data/a.txt"]);
  });
});

describe("an agent's session in SQLite", () => {
  it("is continued by -c, and the resume command names the store", async () => {
    const server = await openModelServer(scripted({ text: "One." }, { text: "Two." }));
    onTestFinished(() => server.close());
    const { root, home, worldline } = playground();
    const environment = { ...server.environment("anthropic"), HOME: root };
    const store = `sqlite:${join(root, "x.db")}`;
    const first = await worldline(["-p", "say one", "--store", store], { environment });
    expect(first).toMatchObject({ code: 0, stdout: "One.\n" });
    expect(first.stderr).toContain(`To continue: worldline --store ${store} -r `);
    const second = await worldline(["-c", "say two"], {
      environment: { ...environment, WORLDLINE_STORE: store },
    });
    expect(second).toMatchObject({ code: 0, stdout: "Two.\n" });
    expect(second.stderr).toContain("To continue: worldline -r ");
    expect(server.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(existsSync(join(home, "sessions"))).toBe(false);
  });
});

describe("the session that was used last", () => {
  it("is never an execution's, for commands and for the library", async () => {
    const { root, home, workspace, worldline } = playground();
    const store = `sqlite:${join(root, "x.db")}`;
    const mine = await openSession({ home, workspace, store });
    await mine.prompt("hello");
    await mine.close();
    await (await openExecution("exec-1", { home, workspace, store })).close();
    const { stdout } = await worldline(["--store", store, "checkpoints", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ session: mine.id });
    const latest = await openSession({ home, workspace, store, resume: "latest" });
    await latest.close();
    expect(latest.id).toBe(mine.id);
  });
});

describe("worldline doctor", () => {
  it("lets go of files of sessions that are no longer in the database", async () => {
    const { ask, put, home, database } = shopWith("--store");
    put("a.txt", "one\n");
    const { session } = await ask("checkpoint first");
    await ask("fork --at 1");
    const store = openStore(`sqlite:${database}`, { home });
    await store.trash(session, 0);
    await store.emptyTrash(Date.now());
    await store.close();
    const refs = join(home, "snapshots", "refs", `${session}.jsonl`);
    utimesSync(refs, new Date(0), new Date(0));
    await ask("doctor --fix");
    expect(existsSync(refs)).toBe(false);
  });

  it("says which database is used and that it answers, and leaves files of sessions elsewhere alone", async () => {
    const { ask, put, home, worldline, database } = shopWith("--store");
    put("a.txt", "one\n");
    const { session } = await ask("checkpoint first");
    const { checks, store } = await ask("doctor");
    expect(store).toBe(`sqlite:${database}`);
    expect(checks.filter(({ about }: { about: string }) => about === "store")).toMatchObject([
      { status: "ok", message: expect.stringContaining(database) },
      {
        status: "ok",
        message: expect.stringMatching(/^The database responds\. Its schema version is \d+\.$/u),
      },
      { message: expect.stringMatching(/^The disk has .* free\.$/u) },
      { status: "ok", message: "The database pages are intact." },
    ]);
    const refs = join(home, "snapshots", "refs", `${session}.jsonl`);
    const before = readFileSync(refs, "utf8");
    await worldline("checkpoint here");
    utimesSync(refs, new Date(0), new Date(0));
    expect((await worldline("doctor --fix")).stdout).not.toContain(session);
    expect(readFileSync(refs, "utf8")).toBe(before);
  });
});
