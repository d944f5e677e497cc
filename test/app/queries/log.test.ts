import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { logOf, sessionLog } from "../../../src/app/queries/log.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { createSession, viewSession } from "../../../src/machine/open.ts";
import { openSession } from "../../../src/open-session.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { playground } from "../../cli/support/command-line.ts";
import { begin, openSessionDeps } from "../../machine/deps.ts";
import { reportingContext } from "../support/reporting-context.ts";

async function kindsOf(part: ReturnType<typeof logOf>) {
  const kinds: string[] = [];
  for await (const { entry } of part.items) kinds.push(entry?.kind ?? "damage");
  return kinds;
}

/** The numbers of the entries, with the damage between them. */
async function shownIn(part: ReturnType<typeof logOf>): Promise<readonly (number | string)[]> {
  const shown: (number | string)[] = [];
  for await (const { entry, damage } of part.items) {
    shown.push(entry === undefined ? `${damage?.what} ${damage?.file}:${damage?.line}` : entry.seq);
  }
  return shown;
}

describe("the log of a session", () => {
  it("is everything or the newest entries of a kind, oldest first, and counts those before them", async () => {
    const session = await begin(openSessionDeps());
    for (const text of ["one", "two", "three"]) await session.prompt(text);
    await session.rewind({ to: 3, scope: "conversation" });
    const all = logOf(session, { branch: "all", kind: undefined, limit: 0 });
    const before = ["session", "checkpoint", "prompt", "checkpoint", "prompt", "checkpoint"];
    expect([await kindsOf(all), all.earlier]).toEqual([[...before, "prompt", "rewind"], 0]);
    const here = logOf(session, { branch: "here", kind: undefined, limit: 7 });
    expect([await kindsOf(here), here.earlier]).toEqual([[...before, "rewind"], 0]);
    const prompts = logOf(session, { branch: "here", kind: "prompt", limit: 1 });
    expect([await shownIn(prompts), prompts.earlier]).toEqual([[5], 1]);
  });

  it("is read to the end, however long it is", async () => {
    const session = await begin(openSessionDeps());
    for (let count = 2; count <= 1_001; count += 1)
      await session.append({ kind: "notice", text: `${count}` });
    const all = await shownIn(logOf(session, { branch: "all", kind: undefined, limit: 0 }));
    expect(all).toEqual(all.map((_seq, index) => index + 1));
    expect(all).toHaveLength(1_001);
    const last = logOf(session, { branch: "all", kind: undefined, limit: 2 });
    expect([await shownIn(last), last.earlier]).toEqual([[1_000, 1_001], 999]);
  });

  it("comes with the session, which is the latest one", async () => {
    const { context, home, workspace } = reportingContext();
    const session = await openSession({ home, workspace, system: "Be brief." });
    await session.prompt("one");
    await session.close();
    const log = await sessionLog(context, { branch: "all", kind: "prompt", limit: 0 });
    expect([log.view.id, log.steps.size, log.earlier]).toEqual([session.id, 0, 0]);
    expect(await kindsOf(log)).toEqual(["prompt"]);
  });
});

/** Twenty short notices in files of a few lines, whose lines `spoil` changes. */
async function damaged(spoil: (file: string, lines: string[]) => void) {
  const { home, workspace } = playground();
  const store = () => openFilesStore({ root: home, clock: systemClock, rotateBytes: 1_500 });
  const session = await createSession(
    { store: store(), clock: systemClock },
    { workspace, system: "Be brief." },
    { name: "a test" },
  );
  for (let count = 0; count < 20; count += 1) await session.append({ kind: "notice", text: `${count}` });
  await session.close();
  const folder = join(home, "sessions", session.id);
  for (const file of readdirSync(folder).filter((name) => name.startsWith("log.jsonl"))) {
    const lines = readFileSync(join(folder, file), "utf8").split("\n");
    spoil(file, lines);
    writeFileSync(join(folder, file), lines.join("\n"));
  }
  rmSync(join(folder, "index"), { force: true });
  return viewSession(store(), session.id);
}

describe("damage in the log of a session", () => {
  it("is shown in its place, also after lost, repeated and foreign lines of the same file", async () => {
    const view = await damaged((file, lines) => {
      if (file === "log.jsonl.1") {
        lines[5] = "spoiled";
        lines.splice(2, 2);
      }
      if (file === "log.jsonl.2") {
        lines[5] = "spoiled";
        lines.splice(2, 0, lines[1] ?? "", lines[1] ?? "", lines[1] ?? "");
      }
      if (file === "log.jsonl") {
        lines[3] = "spoiled";
        lines.splice(2, 0, "not ours", "not ours", "not ours");
        lines.push('{"seq":24,"ki');
      }
    });
    const shown = (limit: number) => shownIn(logOf(view, { branch: "all", kind: undefined, limit }));
    const end = [
      ...["line log.jsonl:3", "line log.jsonl:4", "line log.jsonl:5"],
      ...[21, "line log.jsonl:7", 23, "torn-tail log.jsonl:10"],
    ];
    expect(await shown(0)).toEqual([
      ...[1, 2, "missing log.jsonl.1:3", 5, "line log.jsonl.1:4", 7, 8, 9],
      ...["repeated log.jsonl.2:3", "repeated log.jsonl.2:4", "repeated log.jsonl.2:5"],
      ...[10, 11, 12, "line log.jsonl.2:9", 14, 15, 16, 17, 18, 19, 20, ...end],
    ]);
    expect(await shown(2)).toEqual(end);
  });

  it("is shown before the first entry, unless there are earlier entries", async () => {
    const view = await damaged((file, lines) => {
      if (file === "log.jsonl.1") lines[1] = "spoiled";
    });
    const notices = async (limit: number) =>
      (await shownIn(logOf(view, { branch: "all", kind: "notice", limit }))).slice(0, 2);
    expect([await notices(0), await notices(19), await notices(18)]).toEqual([
      ...[
        ["line log.jsonl.1:2", 3],
        ["line log.jsonl.1:2", 3],
        [4, 5],
      ],
    ]);
  });

  it("is shown in place of a whole file", async () => {
    const view = await damaged((file, lines) => {
      if (file === "log.jsonl.1") lines.length = 0;
      if (file === "log.jsonl") lines[3] = "spoiled";
    });
    expect(await shownIn(logOf(view, { branch: "all", kind: undefined, limit: 0 }))).toEqual([
      ...[1, "header log.jsonl.2:1", "missing log.jsonl.2:1", 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18],
      ...[19, 20, 21, "line log.jsonl:4", 23],
    ]);
  });

  it("is shown in its place if it is found while the log is read", async () => {
    const { home, workspace } = playground();
    const session = await openSession({ home, workspace, system: "Be brief." });
    for (const text of ["one", "two", "three", "four"]) await session.append({ kind: "notice", text });
    await session.close();
    const log = join(home, "sessions", session.id, "log.jsonl");
    const spoiled = readFileSync(log, "utf8").replace('"two"', '"TWO"').replace('"three"', '"THREE"');
    writeFileSync(log, `${spoiled}{"seq":6,"ki`);
    const view = () => viewSession(openFilesStore({ root: home, clock: systemClock }), session.id);
    const shown = async (limit: number) =>
      shownIn(logOf(await view(), { branch: "all", kind: undefined, limit }));
    const lines = ["line log.jsonl:3", "line log.jsonl:4"];
    expect(await shown(0)).toEqual([1, 2, ...lines, 5, "torn-tail log.jsonl:6"]);
    expect(await shown(2)).toEqual([...lines.slice(1), 5, "torn-tail log.jsonl:6"]);
  });
});
