import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Problem } from "../../src/machine/store-health.ts";
import { checkStore, repairStore } from "../../src/machine/store-health.ts";
import type { SessionId } from "../../src/record/ids.ts";
import { begin, filesPlace, holding, type Place, stores } from "./exchange/support.ts";

describe.each(stores)("examining a store of $name", ({ open }) => {
  let place: Place;
  beforeEach(() => {
    place = open();
  });
  afterEach(async () => place.close());

  it("finds nothing where nothing is wrong", async () => {
    const session = await begin(place.deps);
    await session.prompt("all is well");
    await session.close();
    expect(await checkStore(place.deps.store)).toEqual({ sessions: 1, problems: [] });
  });

  it("names a turn that was cut, and does not claim that it could repair it", async () => {
    const session = await begin(place.deps);
    await session.prompt("do it");
    await session.step();
    await session.toolStart("c1", "Bash");
    await session.close();
    const { problems } = await checkStore(place.deps.store);
    expect(problems).toMatchObject([{ what: "unfinished", severity: "note", where: "step 2", fix: "none" }]);
    const [problem] = problems as [Problem];
    expect(await repairStore(place.deps.store, problem, holding)).toEqual({
      problem,
      outcome: "not-fixed",
      message: problem.hint,
      remarks: [problem.advice],
    });
  });

  it("counts entries of kinds that it does not know, and says when the format is newer", async () => {
    const session = await begin(place.deps);
    const { header } = session;
    await session.close();
    const newer = { ...header, session: "zzzzzzzzzz" as SessionId, version: 2 };
    const foreign = { seq: 2, id: "zzzzzzzzzzzz", parent: header.id, at: header.at, kind: "foreign" };
    const entry = { ...foreign, foreignKind: "dream", fields: { of: "sheep" } } as never;
    await place.deps.store.create(newer, { entries: [entry], blobs: [] });
    const { problems } = await checkStore(place.deps.store, [newer.session]);
    expect(problems.map(({ what, severity }) => [what, severity])).toEqual([
      ["newer-format", "warning"],
      ["foreign", "note"],
    ]);
  });

  it("names a session that is not there", async () => {
    const { problems } = await checkStore(place.deps.store, ["zzzzzzzzzz" as SessionId]);
    expect(problems).toMatchObject([{ what: "unopenable", severity: "error", fix: "none" }]);
  });
});

describe("examining files that something happened to", () => {
  let place: Place;
  let id: SessionId;
  let folder: string;
  beforeEach(async () => {
    place = filesPlace();
    const session = await begin(place.deps);
    await session.prompt("first");
    await session.prompt(`a long one ${"z".repeat(200)}`);
    await session.close();
    id = session.id;
    folder = join(place.root ?? "", "sessions", id);
  });
  afterEach(async () => place.close());

  async function problems(): Promise<readonly Problem[]> {
    return (await checkStore(place.deps.store)).problems;
  }

  it("names torn bytes, and heals them by setting them aside", async () => {
    appendFileSync(join(folder, "log.jsonl"), '{"seq":6,"id":"half');
    const [problem, ...others] = (await problems()) as [Problem];
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ what: "torn-tail", where: "log.jsonl, line 6", fix: "recover" });
    const healing = await repairStore(place.deps.store, problem, holding);
    expect(healing).toEqual({
      problem,
      outcome: "fixed",
      message: "19 bytes of an incomplete line were moved to a separate file (log.jsonl.torn-1).",
      remarks: [
        {
          why: "19 bytes of an incomplete line were moved to a separate file (log.jsonl.torn-1).",
          reason: "health-set-aside",
          params: { file: "log.jsonl.torn-1", bytes: 19 },
        },
      ],
    });
    expect(await problems()).toEqual([]);
  });

  it("does not heal a session that is held", async () => {
    const session = await begin(place.deps);
    appendFileSync(join(place.root ?? "", "sessions", session.id, "log.jsonl"), "half");
    const [problem] = (await problems()) as [Problem];
    const healing = await repairStore(place.deps.store, problem, holding);
    expect(healing.outcome).toBe("not-fixed");
    expect(healing.message).toContain(`Session ${session.id} is in use by a test`);
    await session.close();
  });

  it("names a damaged line, a lost blob and a lost copy of the first line, and that they stay so", async () => {
    const log = join(folder, "log.jsonl");
    writeFileSync(log, readFileSync(log, "utf8").replace("first", "fIrst"));
    const [shelf = ""] = readdirSync(join(folder, "blobs"));
    rmSync(join(folder, "blobs", shelf), { recursive: true });
    writeFileSync(join(folder, "session.json"), "{}");
    const found = await problems();
    expect(found.map(({ what, severity, where, fix }) => [what, severity, where.slice(0, 17), fix])).toEqual([
      ["line", "error", "log.jsonl, line 3", "none"],
      ["header", "warning", "session.json", "none"],
      ["blob", "error", expect.stringMatching(/^blobs\//), "none"],
    ]);
    for (const problem of found)
      expect((await repairStore(place.deps.store, problem, holding)).outcome).toBe("not-fixed");
    expect(await problems()).toEqual(found);
  });

  it.each([
    ["an empty folder", () => readdirSync(folder), ["file", "header"]],
    ["neither the first line nor its copy", () => ["session.json"], ["missing", "header"]],
  ])("does not claim of %s that one of the two is still there", async (_what, gone, whats) => {
    const log = join(folder, "log.jsonl");
    writeFileSync(log, readFileSync(log, "utf8").replace(/^.*\n/u, ""));
    for (const name of gone()) rmSync(join(folder, name), { recursive: true });
    const found = await problems();
    expect(found.map(({ what }) => what)).toEqual(whats);
    const header = found.find(({ what }) => what === "header");
    expect(header).toMatchObject({ severity: "error", fix: "none" });
    expect(header?.hint).toContain("The first line of the log is lost too");
    expect(header?.hint).not.toContain("one of the two is still there");
  });

  it("takes an emptied log for a loss, not for something that is in the way", async () => {
    writeFileSync(join(folder, "log.jsonl"), "");
    const found = await problems();
    expect(found).toContainEqual(
      expect.objectContaining({
        what: "missing",
        severity: "error",
        message: expect.stringMatching(/index but missing from the log: \d+\.$/u),
      }),
    );
  });

  it("checks the others if one cannot be read", async () => {
    const other = await begin(place.deps);
    await other.close();
    rmSync(join(folder, "log.jsonl"));
    const found = await problems();
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found.map(({ session }) => session))).toEqual(new Set([id]));
  });
});
