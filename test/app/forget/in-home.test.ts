import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { canClean, findInHome, forgetInHome, type Searched } from "../../../src/app/forget/in-home.ts";
import { typedHistory } from "../../../src/app/places/home.ts";
import { APPLICATION_ID } from "../../../src/disk/own-database.ts";
import type { ForgetRequest } from "../../../src/machine/forget/request.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";
import { filesOpenIn } from "../../support/files-open-in.ts";

const SECRET = "hunter2-hunter2";
const request: ForgetRequest = { what: "text", text: SECRET };
const nothing = { typed: 0, outputs: 0, others: [], unreadable: [], databases: [] };

const postgres = { kind: "postgres", url: "postgres://example.org/db" } as unknown as Searched["store"];

function homeOf() {
  const { path: root, remove } = tempFolder();
  onTestFinished(remove);
  const home = join(root, "home");
  mkdirSync(home);
  const at = (path: string) => join(home, path);
  const files: Searched = { home, store: { kind: "files" } };
  return {
    ...{ root, home, at, files },
    put: (path: string, content: string | Uint8Array = SECRET) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    find: async (searched: Searched = files, wanted = request) => {
      const { others, unreadable, databases, ...found } = await findInHome(searched, wanted);
      const sorted = { others: others.toSorted(), unreadable: unreadable.toSorted() };
      return { ...found, ...sorted, databases: databases.toSorted() };
    },
  };
}

/** Root can read every file, so when the tests run as root the work is done as the user `nobody`. */
async function asNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** The beginning of a database file that belongs to Worldline. */
function database(): Buffer {
  const head = Buffer.alloc(100);
  head.write("SQLite format 3", "latin1");
  head.writeUInt32BE(APPLICATION_ID, 68);
  return head;
}

describe("the text in Worldline's home", () => {
  it("is only where this text is, and is not searched for the sake of a path", async () => {
    const { root, home, at, files, put, find } = homeOf();
    expect(await find({ ...files, home: join(root, "nowhere") })).toEqual(nothing);
    put("settings.json");
    put("outputs/k3f9x2m7q1/c1.txt");
    symlinkSync("settings.json", join(home, "link"));
    expect(await find()).toEqual({ ...nothing, outputs: 1, others: [at("settings.json")] });
    put("sessions/k3f9x2m7q1/log.jsonl");
    expect((await find()).others).toEqual([at("settings.json")]);
    expect((await find({ ...files, store: postgres })).others).toEqual([
      at("sessions/k3f9x2m7q1/log.jsonl"),
      at("settings.json"),
    ]);
    expect(await find(files, { what: "path", path: SECRET })).toEqual(nothing);
    expect(await find(files, { what: "text", text: "something else" })).toEqual(nothing);
  });

  it("is in the input history, in long outputs, and in files that only the user can change", async () => {
    const { home, at, put, find } = homeOf();
    await typedHistory(home, "/work").add(`use ${SECRET}`);
    await typedHistory(home, "/work").add("nothing");
    put("outputs/k3f9x2m7q1/c1.txt");
    put("outputs/k3f9x2m7q1/c2.txt", "nothing");
    put("settings.json", `{ "key": "${SECRET}" }`);
    put("deep/er/notes.txt");
    put(`named-${SECRET}/empty.txt`, "");
    put("nothing.txt", "nothing");
    mkdirSync(at(`folder-${SECRET}`));
    symlinkSync(at("settings.json"), at("link"));
    expect(await find()).toEqual({
      ...{ typed: 1, outputs: 1, unreadable: [], databases: [] },
      others: [at("deep/er/notes.txt"), at("named-[forgotten]/empty.txt"), at("settings.json")],
    });
    expect(filesOpenIn(home)).toEqual([]);
  });

  it("is not reported where it is searched as part of a session, a snapshot, or a cache", async () => {
    const { at, put, files, find } = homeOf();
    const inSessions = [
      ...[
        "log.jsonl",
        "log.jsonl.1",
        "log.jsonl.12",
        "log.jsonl.torn-12",
        "log.jsonl.new",
        "log.jsonl.1.new",
      ],
      ...["session.json", "session.json.new", "index", "blobs/ab/cd", "outputs/c1.txt"],
      ...["checkpoints/metadata.json", "checkpoints/metadata.json.new"],
    ];
    const notInSessions = [
      "log.jsonl.away",
      "log.jsonl.1x",
      "session.json.1",
      "index.1",
      "notes.txt",
      "xindex",
    ];
    const sessions = ["sessions/k3f9x2m7q1", "trash/k3f9x2m7q1-1"];
    const inStores = [
      ...["snapshots/segments/a.seg", "snapshots/refs/a.jsonl", "snapshots/workspaces/a/manifest"],
    ];
    const notInStores = [
      "snapshots/workspaces/a/manifest.1",
      "snapshots/other",
      "old/snapshots/refs/a",
      "xhistory/a",
    ];
    const known = sessions.flatMap((session) => inSessions.map((name) => `${session}/${name}`));
    const unknown = [
      ...sessions.flatMap((session) => notInSessions.map((name) => `${session}/${name}`)),
      ...["sessions/log.jsonl", "sessions/a/b/log.jsonl", "x/sessions/k3f9x2m7q1/log.jsonl", ...notInStores],
    ];
    for (const path of [...known, ...unknown, ...inStores]) put(path);
    expect((await find()).others).toEqual(unknown.map(at).sort());
    expect((await find({ ...files, store: postgres })).others).toEqual([...unknown, ...known].map(at).sort());
  });

  it("is in files that are larger than what is read at once, even across the end of a part", async () => {
    const { at, put, find } = homeOf();
    const part = 4 * 1024 * 1024;
    put("across", `${"x".repeat(part - 5)}${SECRET}`);
    put("after", `${"x".repeat(part + 5)}${SECRET}`);
    put("never", "x".repeat(part + 5));
    expect((await find()).others).toEqual([at("across"), at("after")]);
  });

  it("is in packed files, unless they are damaged", async () => {
    const { at, put, find } = homeOf();
    put("bundle.gz", gzipSync(`{"a":"${SECRET}"}`));
    put("other.gz", gzipSync("nothing"));
    put("damaged.gz", gzipSync(SECRET.repeat(100)).subarray(0, 20));
    put("short", Buffer.from([0x1f]));
    expect(await find()).toEqual({ ...nothing, others: [at("bundle.gz")] });
  });

  it("may be in files and folders that cannot be read, which are named without the text", async () => {
    const { root, at, put, find } = homeOf();
    put(`closed-${SECRET}.txt`);
    put("folder/file.txt");
    chmodSync(at(`closed-${SECRET}.txt`), 0o000);
    chmodSync(at("folder"), 0o000);
    onTestFinished(() => chmodSync(at("folder"), 0o700));
    chmodSync(root, 0o755);
    const closed = at("closed-[forgotten].txt");
    expect(await asNobody(find)).toEqual({
      ...nothing,
      others: [closed],
      unreadable: [closed, at("folder")],
    });
  });

  it("may be in other databases of Worldline, but the database that is searched is not touched", async () => {
    const { root, at, put, files, find } = homeOf();
    for (const name of ["own.db", "other.db"]) put(name, database());
    const foreign = database();
    foreign.writeUInt32BE(0, 68);
    put("foreign.db", Buffer.concat([foreign, Buffer.from(SECRET)]));
    put(`named-${SECRET}.db`, database());
    const own = { ...files, store: { kind: "sqlite", path: at("own.db") } } as const;
    const named = at("named-[forgotten].db");
    const others = [at("foreign.db"), named];
    expect(await find()).toEqual({ ...nothing, others, databases: [named, at("other.db"), at("own.db")] });
    expect(await find(own)).toEqual({ ...nothing, others, databases: [named, at("other.db")] });
    linkSync(at("own.db"), at("linked.db"));
    symlinkSync(at("own.db"), join(root, "link.db"));
    const linked = { ...own, store: { kind: "sqlite", path: join(root, "link.db") } } as const;
    expect(await find(linked)).toEqual({ ...nothing, others, databases: [named, at("other.db")] });
  });

  it("may be in copies that were saved of the database, wherever that is", async () => {
    const { root, at, put, files, find } = homeOf();
    const [inside, outside] = [at("own.db"), join(root, "own.db")];
    const copies = [inside, outside].map((path) => [`${path}.saved-1`, `${path}.saved-22`]) as [
      string[],
      string[],
    ];
    for (const path of [...copies.flat(), `${outside}.kept`, `${outside}-saved-1`])
      writeFileSync(path, database());
    const stored = (path: string) => ({ ...files, store: { kind: "sqlite", path } }) as const;
    expect(await find(stored(inside))).toEqual({ ...nothing, databases: copies[0] });
    expect(await find(stored(outside))).toEqual({ ...nothing, databases: copies.flat() });
    expect(await find(stored(join(root, "nowhere", "own.db")))).toEqual({ ...nothing, databases: copies[0] });
    put("file");
    await expect(find(stored(at("file/own.db")))).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  it("is in the files next to the database only if they belong to another one", async () => {
    const { at, put, files, find } = homeOf();
    for (const end of ["", "-wal", "-shm", "-journal", "-other"]) put(`own.db${end}`);
    const own = { ...files, store: { kind: "sqlite", path: at("own.db") } } as const;
    expect((await find(own)).others).toEqual([at("own.db-other")]);
    expect((await find()).others).toHaveLength(5);
    put("gone.db-wal");
    const gone = { ...files, store: { kind: "sqlite", path: at("gone.db") } } as const;
    expect((await find(gone)).others).not.toContain(at("gone.db-wal"));
  });
});

describe("forgetting in Worldline's home", () => {
  it("removes the text from the history, outputs and caches, and lists where it still is", async () => {
    const { home, at, put, files } = homeOf();
    const history = typedHistory(home, "/work");
    for (const line of ["before", `use ${SECRET}`]) await history.add(line);
    const [mine, other] = ["k3f9x2m7q1", "k3f9x2m7q2"] as [SessionId, SessionId];
    put(`outputs/${mine}/c1.txt`, "nothing");
    put(`outputs/${other}/c1.txt`);
    put("outputs/k3f9x2m7q3/c1.txt", "nothing");
    put("snapshots/workspaces/a/manifest");
    put("snapshots/workspaces/b/manifest", "nothing");
    put("snapshots/workspaces/c/other");
    put("settings.json");
    const others = [at("settings.json"), at("snapshots/workspaces/c/other")];
    expect(await forgetInHome(files, request, [mine])).toEqual({ ...nothing, typed: 1, outputs: 1, others });
    expect(await history.read()).toEqual(["before"]);
    expect(readdirSync(at("outputs"))).toEqual(["k3f9x2m7q3"]);
    expect(["a", "b"].map((each) => existsSync(at(`snapshots/workspaces/${each}/manifest`)))).toEqual([
      false,
      true,
    ]);
    expect(readFileSync(at("settings.json"), "utf8")).toBe(SECRET);
    expect(await forgetInHome(files, request, [])).toEqual({ ...nothing, others });
  });

  it("removes the outputs of the sessions that contained a path, and nothing else", async () => {
    const { home, at, put, files } = homeOf();
    await typedHistory(home, "/work").add(SECRET);
    const [mine, other] = ["k3f9x2m7q1", "k3f9x2m7q2"] as [SessionId, SessionId];
    put(`outputs/${mine}/c1.txt`);
    put(`outputs/${other}/c1.txt`);
    put("snapshots/workspaces/a/manifest");
    expect(await forgetInHome(files, { what: "path", path: SECRET }, [mine])).toEqual(nothing);
    expect(readdirSync(at("outputs"))).toEqual([other]);
    expect(await typedHistory(home, "/work").read()).toEqual([SECRET]);
    expect(existsSync(at("snapshots/workspaces/a/manifest"))).toBe(true);
  });

  it("is possible only in the history and in outputs", () => {
    const found = { ...nothing, others: ["a"], unreadable: ["b"], databases: ["c"] };
    const cleanable = [found, { ...found, typed: 1 }, { ...found, outputs: 1 }].map(canClean);
    expect(cleanable).toEqual([false, true, true]);
  });
});
