import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { performForget } from "../../../src/machine/forget/perform-forget.ts";
import { planForget } from "../../../src/machine/forget/plan-forget.ts";
import { holdSession } from "../../../src/machine/open.ts";
import { encodeEntry } from "../../../src/record/codec.ts";
import type { Entry } from "../../../src/record/entry.ts";
import { type SessionId, toSeq } from "../../../src/record/ids.ts";
import { begin, codeOf, filesPlace, holding, linesOf, type Place } from "../exchange/support.ts";
import { filesWith } from "./raw-search.ts";

const SECRET = "hunter2-hunter2";
const request = { what: "text", text: SECRET } as const;

describe("a text that is in no entry", () => {
  let place: Place;
  let id: SessionId;
  let root: string;
  let log: string;
  let before: readonly Entry[];
  beforeEach(async () => {
    place = filesPlace();
    const session = await begin(place.deps);
    await session.prompt("innocent");
    await session.prompt(`a victim ${"z".repeat(40)}`);
    await session.prompt("innocent, too");
    await session.close();
    id = session.id;
    root = place.root ?? "";
    log = join(root, "sessions", id, "log.jsonl");
    before = await linesOf(place.deps.store, id);
    await place.deps.store.close();
  });
  afterEach(async () => place.close());

  const beside = (name: string, text: string) => {
    const path = join(dirname(log), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const last = (): Entry => before.at(-1) as Entry;

  it.each<[string, () => unknown]>([
    ["torn off", () => appendFileSync(log, `{"seq":9,"text":"${SECRET} and mo`)],
    ["torn off within it", () => appendFileSync(log, `{"seq":9,"text":"${SECRET.slice(0, 9)}`)],
    [
      "torn off and set aside",
      async () => {
        appendFileSync(log, `{"seq":9,"text":"${SECRET}`);
        await (await holdSession(place.deps, id, holding)).close();
      },
    ],
    [
      "in a damaged line",
      () => writeFileSync(log, readFileSync(log, "utf8").replace("a victim ", `a victim ${SECRET} `)),
    ],
    [
      "in a line that stands there twice",
      () =>
        appendFileSync(
          log,
          encodeEntry({ ...last(), parts: [{ type: "text", text: SECRET }] } as Entry, crc32),
        ),
    ],
    [
      "in a line that is too far away to be believed",
      () =>
        appendFileSync(
          log,
          encodeEntry(
            { ...last(), seq: toSeq(2 ** 40), parts: [{ type: "text", text: SECRET }] } as Entry,
            crc32,
          ),
        ),
    ],
    ["in a half-written successor", () => beside("log.jsonl.3.new", SECRET)],
    ["in a copy of the first line that cannot be read", () => beside("session.json", SECRET)],
    ["in a half-written blob", () => beside(`blobs/ab/${"ab".repeat(32)}.new-77`, SECRET)],
  ])("is found and removed: %s", async (_where, put) => {
    await put();
    const { store } = place.deps;
    expect((await planForget(store, request)).findings).toEqual([{ session: id, entries: 0, times: 1 }]);
    const report = await performForget(place.deps, request, holding);
    expect(report).toMatchObject({ sessions: [{ session: id, entries: 0, times: 1 }], left: [] });
    expect(filesWith(root, SECRET.slice(0, 9))).toEqual([]);
    const readable = await linesOf(store, id);
    expect(before).toEqual(expect.arrayContaining([...readable]));
    expect(readable.length).toBeGreaterThanOrEqual(before.length - 1);
  });

  it("is found and removed in the trash, too", async () => {
    appendFileSync(log, `{"seq":9,"text":"${SECRET}`);
    const { store } = place.deps;
    await store.trash(id, 7);
    expect(await performForget(place.deps, request, holding)).toMatchObject({
      inTrash: [{ session: id, entries: 0, times: 1 }],
    });
    expect(filesWith(root, SECRET)).toEqual([]);
    expect(await store.listTrash()).toEqual([{ session: id, at: 7 }]);
  });

  it("is not looked for where torn bytes do not hold it, which are kept", async () => {
    appendFileSync(log, "innocent torn bytes");
    await (await holdSession(place.deps, id, holding)).close();
    expect(await planForget(place.deps.store, request)).toMatchObject({ findings: [], unseen: [] });
    expect(await codeOf(performForget(place.deps, request, holding))).toBe("NOTHING_TO_FORGET");
    expect(filesWith(root, "innocent torn bytes")).toHaveLength(1);
  });

  it("may be what a tool reported about a file, so the session is named", async () => {
    appendFileSync(log, "torn bytes that nobody can read");
    await (await holdSession(place.deps, id, holding)).close();
    const { unseen } = await planForget(place.deps.store, { what: "path", path: "/work/project/.env" });
    expect(unseen).toEqual([id]);
  });

  it("goes with what was left of other sessions, or these are named", async () => {
    appendFileSync(log, `{"seq":9,"text":"${SECRET}`);
    const [removed, made, making] = ["g1ne000001", "made000002", "make000003"];
    const folders = [
      join(root, "trash", `.gone-${removed}-5`),
      join(root, "sessions", `.new-${made}-0123`),
      join(root, "sessions", `.new-${making}-0123`),
    ] as const;
    for (const folder of folders) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "log.jsonl"), SECRET);
    }
    utimesSync(folders[1], 1, 1);
    const { store } = place.deps;
    expect((await planForget(store, request)).unseen.toSorted()).toEqual([removed, made, id, making].sort());
    expect((await performForget(place.deps, request, holding)).unseen).toEqual([making]);
    expect(filesWith(root, SECRET)).toEqual([join(folders[2], "log.jsonl")]);
  });
});
