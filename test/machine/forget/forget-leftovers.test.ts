import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { performForget } from "../../../src/machine/forget/perform-forget.ts";
import { planForget } from "../../../src/machine/forget/plan-forget.ts";
import { holdSession, viewSession } from "../../../src/machine/open.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { begin, filesPlace, holding, type Place } from "../exchange/support.ts";
import { filesWith } from "./raw-search.ts";

const SECRET = "hunter2-hunter2";
const request = { what: "text", text: SECRET } as const;
const LONG = `${"z".repeat(100)} ${SECRET} ${"z".repeat(100)}`;

describe("what a files store keeps next to the lines", () => {
  let place: Place;
  let id: SessionId;
  let folder: string;
  beforeEach(async () => {
    place = filesPlace({ rotateBytes: 900 });
    const session = await begin(place.deps);
    for (let turn = 0; turn < 6; turn += 1) await session.prompt(`turn ${turn}: ${SECRET}`);
    await session.reply({ parts: [{ type: "text", text: LONG }], model: "scripted" });
    await session.close();
    id = session.id;
    folder = join(place.root ?? "", "sessions", id);
  });
  afterEach(async () => place.close());

  async function forget(): Promise<void> {
    await performForget(place.deps, request, holding);
    expect(filesWith(place.root ?? "", SECRET)).toEqual([]);
    const view = await viewSession(place.deps.store, id);
    expect(view.outline.ofKind("prompt").length).toBeGreaterThan(3);
  }

  it("is clean in all files of a rotated log, and in the published list", async () => {
    expect(readdirSync(folder).filter((name) => /^log\.jsonl\.\d+$/.test(name)).length).toBeGreaterThan(1);
    expect(filesWith(join(folder, "checkpoints"), SECRET)).toHaveLength(1);
    await forget();
    expect(readFileSync(join(folder, "checkpoints", "metadata.json"), "utf8")).toContain(
      "turn 5: [forgotten]",
    );
  });

  it("is clean when bytes were torn, set aside, and torn again", async () => {
    appendFileSync(join(folder, "log.jsonl"), `{"seq":99,"kind":"prompt","text":"${SECRET}`);
    await (await holdSession(place.deps, id, holding)).close();
    appendFileSync(join(folder, "log.jsonl"), `{"seq":99,"kind":"prompt","text":"${SECRET}`);
    expect(readdirSync(folder)).toContain("log.jsonl.torn-1");
    await forget();
  });

  it("is clean when a line was damaged", async () => {
    const log = join(folder, "log.jsonl.1");
    writeFileSync(log, readFileSync(log, "utf8").replace("turn 0:", "turn X:"));
    await forget();
  });

  it("is clean when a blob is damaged, or belongs to nothing", async () => {
    const [blob = ""] = filesWith(join(folder, "blobs"), SECRET);
    appendFileSync(blob, "damage");
    await place.deps.store.putBlob(id, Buffer.from(`${LONG} that was never pointed to`));
    await forget();
  });

  it("is clean when a dead process left its lock and a half-written successor", async () => {
    const lock = {
      pid: 999_999_999,
      started: "1",
      boot: "other",
      host: "",
      name: "dead",
      since: "",
      token: "0".repeat(32),
    };
    writeFileSync(join(folder, "lock.by-1"), JSON.stringify(lock));
    writeFileSync(join(folder, "log.jsonl.new"), `half ${SECRET}`);
    mkdirSync(join(folder, "checkpoints"), { recursive: true });
    writeFileSync(join(folder, "checkpoints", "metadata.json.new"), `half ${SECRET}`);
    await forget();
  });

  it("names a session in the trash that cannot be cleaned, cleans all others, and is complete once that session is gone", async () => {
    const { store } = place.deps;
    const inWorkspace = await begin(place.deps, `/work/${SECRET}`);
    await inWorkspace.prompt(SECRET);
    await inWorkspace.close();
    await store.trash(inWorkspace.id, 7);
    const report = await performForget(place.deps, request, holding);
    expect(report).toMatchObject({ keptInTrash: [inWorkspace.id], inTrash: [], left: [] });
    expect(report.sessions.map(({ session }) => session)).toEqual([id]);
    expect(await store.listTrash()).toEqual([{ session: inWorkspace.id, at: 7 }]);
    expect(filesWith(folder, SECRET)).toEqual([]);
    await store.emptyTrash(8);
    expect(filesWith(place.root ?? "", SECRET)).toEqual([]);
  });

  it("names a session whose parts could not be searched", async () => {
    const other = await begin(place.deps);
    await other.prompt("innocent");
    await other.close();
    const log = join(place.root ?? "", "sessions", other.id, "log.jsonl");
    writeFileSync(log, readFileSync(log, "utf8").replace("innocent", "damaged!"));
    await place.deps.store.close();
    expect((await planForget(place.deps.store, request)).unseen).toEqual([other.id]);
  });
});
