import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { openSession } from "../../../src/open-session.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { playground } from "../support/command-line.ts";
import { tellConversation } from "../support/conversation.ts";

interface Check {
  readonly about: string;
  readonly status: string;
  readonly message: string;
  readonly hint?: string;
  readonly fixable?: true;
}

async function told() {
  const place = playground();
  const { home, workspace, worldline } = place;
  const session = await tellConversation({ home, workspace });
  const folder = join(home, "sessions", session);
  return {
    ...place,
    session,
    folder,
    log: join(folder, "log.jsonl"),
    examined: async (line = "doctor") => {
      const { code, stdout } = await worldline(`${line} --json`);
      const { checks, healthy } = JSON.parse(stdout) as { checks: Check[]; healthy: boolean };
      const found = checks.filter(({ status }) => status !== "ok");
      return { code, healthy, found: found.map(({ status, message }) => `${status} ${message}`), checks };
    },
  };
}

describe("worldline doctor", () => {
  it("says that everything is in order, and changes nothing", async () => {
    const { worldline, everything, home } = await told();
    const before = everything();
    const { code, stdout, stderr } = await worldline("doctor");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^ok +Worldline \d.*, Node\.js /u);
    expect(stdout).toContain(`Sessions are stored as files in ${home}\n`);
    expect(stdout).toContain("1 session: every line and every long text can be read.\n");
    expect(stdout).toMatch(/\nNo problems found\.\n$/u);
    expect(everything()).toEqual(before);
  });

  it("looks at a home that is not there yet, and does not make it", async () => {
    const { worldline, everything } = playground();
    const before = everything();
    expect(await worldline("doctor")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("does not exist yet; the first session creates it."),
    });
    expect(everything()).toEqual(before);
  });

  it("says that a home cannot be one", async () => {
    const { home, worldline } = playground();
    writeFileSync(home, "a file");
    expect(await worldline("doctor")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("is not a folder."),
    });
  });

  it("closes a home that others can look into", async () => {
    const { home, examined } = await told();
    chmodSync(home, 0o755);
    expect(await examined()).toMatchObject({
      code: 0,
      found: [`warning Other users on this machine can read ${home} (mode 0755).`],
    });
    expect((await examined("doctor --fix")).found).toEqual([
      `fixed ${home} is now private to you (mode 0700).`,
    ]);
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });

  it("names every settings file that is invalid, and continues", async () => {
    const { write, files, examined } = await told();
    write("user", '{ "lock": { "waitMs": "long" } }');
    write("local", "not JSON");
    const { code, found, checks } = await examined();
    expect(code).toBe(1);
    expect(found).toEqual([
      expect.stringContaining(`error ${files.user}:1:`),
      expect.stringContaining(`error ${files.local}:1:`),
    ]);
    expect(checks.some(({ about }) => about === "sessions")).toBe(true);
  });

  it("warns of settings that do not count", async () => {
    const { write, examined } = await told();
    write("user", '{ "lok": 1 }');
    expect(await examined()).toMatchObject({
      code: 0,
      found: [expect.stringContaining("unknown setting lok; ignored.")],
    });
  });

  it("does not stop at a workspace that cannot be one", async () => {
    const { examined } = await told();
    expect(await examined("doctor --workspace /no/where")).toMatchObject({
      code: 1,
      found: [expect.stringContaining("error /no/where cannot be the workspace")],
    });
  });

  it("sets torn bytes aside, and keeps them", async () => {
    const { log, folder, session, examined } = await told();
    appendFileSync(log, '{"seq":99,"id"');
    const looked = await examined();
    expect(looked).toMatchObject({
      code: 0,
      found: [expect.stringMatching(`^warning ${session} log.jsonl, line`)],
    });
    expect(looked.checks.find(({ status }) => status === "warning")?.fixable).toBe(true);
    const fixed = await examined("doctor --fix");
    expect(fixed.found).toEqual([
      expect.stringContaining(
        "14 bytes of an incomplete line were moved to a separate file (log.jsonl.torn-1).",
      ),
    ]);
    expect(readFileSync(join(folder, "log.jsonl.torn-1"), "utf8")).toBe('{"seq":99,"id"');
    expect((await examined()).found).toEqual([]);
  });

  it("reports and repairs in the user's language", async () => {
    const { log, session, worldline } = await told();
    const environment = { LANG: "zh_CN.UTF-8" };
    const tear = () => appendFileSync(log, '{"seq":99,"id"');
    tear();
    const { stdout: looked } = await worldline("doctor", { environment });
    expect(looked).toContain(`${session} log.jsonl 第 18 行：`);
    expect(looked).toContain("崩溃中断了最后一次写入。");
    const { stdout: fixed } = await worldline("doctor --fix", { environment });
    expect(fixed).toContain("不完整的行（14 字节）已移到 log.jsonl.torn-1。");
    expect(looked + fixed).not.toMatch(/torn bytes|crash|, line/u);
  });

  it("says which line is lost, and that nothing here can bring it back", async () => {
    const { log, folder, session, examined, worldline } = await told();
    const lines = readFileSync(log, "utf8").split("\n");
    lines[4] = "gone";
    writeFileSync(log, lines.join("\n"));
    rmSync(join(folder, "index"), { force: true });
    const { code, healthy, found } = await examined("doctor --fix");
    expect({ code, healthy }).toEqual({ code: 1, healthy: false });
    expect(found).toEqual([expect.stringContaining(`error ${session} log.jsonl, line 5: `)]);
    expect(await worldline(`doctor --session ${session}`)).toMatchObject({ code: 1 });
  });

  it("limits itself to the session that is named", async () => {
    const { home, workspace, log, examined } = await told();
    appendFileSync(log, "torn");
    const other = await tellConversation({ home, workspace });
    expect((await examined(`doctor --session ${other}`)).found).toEqual([]);
  });

  it("removes the lock of a program that has died, and leaves that of another host", async () => {
    const { folder, examined, session } = await told();
    const owner = { pid: 1, started: "x", boot: "another", host: hostname(), name: "an agent", since: "" };
    const lock = join(folder, "lock");
    writeFileSync(lock, JSON.stringify({ ...owner, token: "0".repeat(32) }));
    expect((await examined()).found).toEqual([
      expect.stringContaining(`note ${session}: Locked by an agent`),
    ]);
    expect((await examined("doctor --fix")).found).toEqual([
      expect.stringContaining("Removed the lock left by"),
    ]);
    expect((await examined()).found).toEqual([]);
    writeFileSync(lock, JSON.stringify({ ...owner, host: "elsewhere", token: "0".repeat(32) }));
    expect(await examined("doctor --fix")).toMatchObject({
      code: 0,
      found: [
        expect.stringContaining("Worldline cannot tell from here whether that program is still running"),
      ],
    });
    expect((await examined("doctor --fix --take-over")).found).toEqual([
      `fixed ${session}: Removed the lock held by an agent (pid 1 on elsewhere) (--take-over).`,
    ]);
    expect((await examined()).found).toEqual([]);
  });

  it.each(["", "half a lo", '{ "of": "another program" }'])(
    "removes a lock that cannot be read (%j), and repairs the rest",
    async (content) => {
      const { folder, log, examined, session } = await told();
      writeFileSync(join(folder, "lock"), content);
      const looked = await examined();
      expect(looked.found).toEqual([`warning ${session}: The lock cannot be read.`]);
      expect(looked.checks.find(({ status }) => status === "warning")?.fixable).toBe(true);
      expect((await examined("doctor --fix")).found).toEqual([
        `fixed ${session}: Removed the lock that could not be read.`,
      ]);
      writeFileSync(join(folder, "lock"), content);
      appendFileSync(log, "torn");
      expect((await examined("doctor --fix")).found).toEqual([
        expect.stringContaining(
          "4 bytes of an incomplete line were moved to a separate file (log.jsonl.torn-1). A lock that could not be read was removed.",
        ),
      ]);
      expect((await examined()).found).toEqual([]);
    },
  );

  it("says why a lock cannot be removed", async () => {
    const { folder, examined } = await told();
    mkdirSync(join(folder, "lock"));
    const { checks, code } = await examined("doctor --fix");
    expect(code).toBe(0);
    expect(checks.find(({ status }) => status === "warning")?.hint).toContain(
      "could not be written (EISDIR)",
    );
  });

  it("leaves the lock of a living owner alone, whatever its options", async () => {
    const { home, workspace, session, folder, examined } = await told();
    const held = await openSession({ home, workspace, resume: session, name: "an agent" });
    const before = readFileSync(join(folder, "lock"), "utf8");
    expect((await examined("doctor --fix --take-over")).found).toEqual([
      expect.stringContaining(`note ${session}: In use by an agent`),
    ]);
    expect(readFileSync(join(folder, "lock"), "utf8")).toBe(before);
    await held.close();
  });

  it("removes for good what is in the trash for too long, with --fix, and names it", async () => {
    const { home, workspace, examined, session } = await told();
    const old = await tellConversation({ home, workspace });
    const store = openFilesStore({ root: home, clock: systemClock });
    await store.trash(old as SessionId, Date.now() - 40 * 24 * 60 * 60 * 1000);
    mkdirSync(join(home, "trash", ".gone-something"));
    const looked = await examined();
    expect(looked.found).toEqual([
      expect.stringContaining(`note Deleted more than 30 days ago, and due for removal: ${old}`),
      expect.stringContaining("note 1 folder belongs to sessions"),
    ]);
    const fixed = await examined("doctor --fix");
    expect(fixed.found).toEqual([
      `fixed Removed for good (deleted more than 30 days ago): ${old}`,
      expect.stringContaining("fixed Removed 1 folder"),
    ]);
    expect(await store.listTrash()).toEqual([]);
    expect(await store.list()).toEqual([session]);
  });

  it("removes nothing for good while the settings cannot say how long it is kept", async () => {
    const { home, write, examined, session } = await told();
    const store = openFilesStore({ root: home, clock: systemClock });
    await store.trash(session as SessionId, 1);
    write("user", '{ "trash": { "days": "for ever" } }');
    expect((await examined("doctor --fix")).found.at(-1)).toContain("so nothing is removed.");
    expect(await store.listTrash()).toHaveLength(1);
  });
});

describe("the list of checkpoints next to a session's log", () => {
  it("is looked at by doctor, and written again with --fix, where it is missing, unreadable or out of date", async () => {
    const { examined, folder, session } = await told();
    const list = join(folder, "checkpoints", "metadata.json");
    const whole = readFileSync(list, "utf8");
    const about = `${session} checkpoints/metadata.json:`;
    const { checkpoints } = JSON.parse(whole) as { checkpoints: unknown[] };
    const old = JSON.stringify({ checkpoints: checkpoints.slice(1) });
    for (const [text, message] of [
      [undefined, "The list of checkpoints is missing."],
      ['{"checkpoints":[', "The list of checkpoints cannot be read."],
      [old, "The list of checkpoints is out of date."],
    ] as const) {
      rmSync(list);
      if (text !== undefined) writeFileSync(list, text);
      expect(await examined()).toMatchObject({ code: 0, found: [`warning ${about} ${message}`] });
      const fixed = `fixed ${about} Rebuilt the list of checkpoints.`;
      expect((await examined("doctor --fix")).found).toEqual([fixed]);
      expect(readFileSync(list, "utf8")).toBe(whole);
    }
    expect((await examined()).found).toEqual([]);
  });

  it("is compared where the session's owner was killed, labels too, and written again by worldline checkpoints", async () => {
    const { examined, folder, worldline } = await told();
    const list = join(folder, "checkpoints", "metadata.json");
    const whole = readFileSync(list, "utf8");
    const { checkpoints } = JSON.parse(whole) as { checkpoints: { description: string }[] };
    const owner = { pid: 1, started: "x", boot: "another", host: hostname(), name: "an agent", since: "" };
    writeFileSync(join(folder, "lock"), JSON.stringify({ ...owner, token: "0".repeat(32) }));
    const renamed = checkpoints.map((each) => ({ ...each, description: "an old label" }));
    for (const old of [checkpoints.slice(1), renamed]) {
      writeFileSync(list, JSON.stringify({ checkpoints: old }));
      expect((await examined()).found).toContainEqual(
        expect.stringContaining("The list of checkpoints is out of date."),
      );
      await worldline("checkpoints");
      expect(readFileSync(list, "utf8")).toBe(whole);
    }
  });

  it("is named by doctor also while a program has the session open that cannot write it", async () => {
    const { home, workspace, examined } = await told();
    const session = await openSession({ home, workspace, files: "off" });
    await session.prompt("one");
    expect((await examined(`doctor --session ${session.id}`)).found).toEqual([
      expect.stringContaining("In use by"),
    ]);
    const folder = join(home, "sessions", session.id, "checkpoints");
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "");
    await session.prompt("two");
    const { checks } = await examined(`doctor --fix --session ${session.id}`);
    expect(checks.filter(({ status }) => status === "warning")).toEqual([
      expect.objectContaining({ hint: expect.stringContaining("could not write the list") }),
    ]);
    await session.close();
  });

  it("is named by doctor --fix where it cannot be written, and by the command that wanted to", async () => {
    const { examined, folder, worldline } = await told();
    rmSync(join(folder, "checkpoints"), { recursive: true });
    writeFileSync(join(folder, "checkpoints"), "");
    expect((await examined("doctor --fix")).found).toEqual([
      expect.stringMatching(/^warning .*The list of checkpoints could not be written/u),
    ]);
    const { code, stderr } = await worldline("checkpoint here");
    expect(code).toBe(0);
    expect(stderr.match(/checkpoints\/metadata\.json could not be written/gu)).toHaveLength(1);
  });
});
