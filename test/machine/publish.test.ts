import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Disk } from "../../src/disk/disk.ts";
import { realDisk } from "../../src/disk/disk.ts";
import { isSameList } from "../../src/machine/checkpoint-list.ts";
import { createSession, holdSession, viewSession } from "../../src/machine/open.ts";
import type { Session } from "../../src/machine/session.ts";
import type { PublishedCheckpoint } from "../../src/ports/log-store.ts";
import type { DraftOf } from "../../src/record/entry.ts";
import { openFilesStore } from "../../src/stores/files/files.ts";
import { systemError } from "../../src/testing/disk/simulated-disk.ts";
import { ManualClock } from "../../src/testing/simulated-system.ts";
import { tempFolder } from "../../src/testing/temp-folder.ts";
import { begin, openSessionDeps } from "./deps.ts";

const SDK_SESSION = "0b6b0d1e-3c5e-4c0a-9d6b-5a2f3e4d5c6b";
const AT = "2026-01-01T00:00:00.000Z";

function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

function host(number: number, hostSession = SDK_SESSION): DraftOf<"host"> {
  return { kind: "host", host: "claude", hostSession, message: uuid(number) };
}

function theirs(number: number, description: string): PublishedCheckpoint {
  return { id: uuid(number), timestamp: AT, description, sessionId: SDK_SESSION };
}

describe("the published list of a session that another agent answers in", () => {
  it("has that agent's names for the prompts that it was given, and ours for all else", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("first\nof all", host(1));
    await session.step();
    await session.append(host(2));
    await session.checkpoint("by hand");
    await session.prompt("to our own agent");
    await session.prompt([{ type: "image", mediaType: "image/png", data: "" }], host(3));
    await session.close();
    const ours = (number: number, description: string): PublishedCheckpoint => ({
      ...{ id: `${session.id}:${number}`, timestamp: AT, description, sessionId: session.id },
    });
    expect(deps.published.at(-1)).toEqual([
      theirs(3, `Checkpoint at ${new Date(AT).toTimeString().slice(0, 8)}`),
      ours(4, "to our own agent"),
      ours(3, "by hand"),
      theirs(1, "first of all"),
    ]);
  });

  it("knows them also where a file of the log ends between prompt and name", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    deps.fileDue = 2;
    await session.prompt("one");
    await session.append(host(1));
    await session.close();
    expect(deps.appends.slice(-2)).toEqual([["rotated"], ["host"]]);
    expect(deps.published.at(-1)).toEqual([theirs(1, "one")]);
  });

  it.each([
    ["a message that is no UUID", { ...host(1), message: "m1" }],
    ["a session that is no UUID", host(1, "../../elsewhere")],
    ["no message", { kind: "host", host: "claude", hostSession: SDK_SESSION } as const],
  ])("stays with our own name for a prompt with %s", async (_what, named) => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("one", named);
    await session.close();
    expect(deps.published.at(-1)).toMatchObject([{ id: `${session.id}:1`, sessionId: session.id }]);
  });
});

/** A session in files, and the files next to its log. */
async function inFiles(disk: Disk = realDisk) {
  const { path: root, remove } = tempFolder();
  const clock = new ManualClock();
  const store = openFilesStore({ root, clock, disk });
  const deps = { store, clock, settings: { window: 200_000 } };
  const session = await createSession(deps, { workspace: "/work", system: "" }, { name: "a test" });
  onTestFinished(async () => {
    await session.close();
    await store.close();
    remove();
  });
  const folder = join(root, "sessions", session.id, "checkpoints");
  return {
    session,
    folder,
    file: join(folder, "metadata.json"),
    published: (): readonly PublishedCheckpoint[] =>
      JSON.parse(readFileSync(join(folder, "metadata.json"), "utf8")).checkpoints,
    reopened: async () => viewSession(store, session.id),
    again: async () => holdSession(deps, session.id, { name: "a test" }),
  };
}

async function manyAtOnce(work: (number: number) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: 200 }, async (_, index) => work(index + 1)));
}

async function numbersIn(session: Pick<Session, "entriesOf">): Promise<readonly number[]> {
  return (await session.entriesOf("checkpoint")).map(({ number }) => number);
}

const ALL = Array.from({ length: 200 }, (_, index) => index + 1);
const NEWEST = [200, 199, 198, 197, 196, 195, 194, 193, 192, 191];

describe("metadata.json", () => {
  it("lists the newest of 200 checkpoints that were made at once, and the log has them all", async () => {
    const { session, reopened, published } = await inFiles();
    await manyAtOnce(async () => session.checkpoint());
    await session.close();
    expect(await numbersIn(await reopened())).toEqual(ALL);
    expect(published().map(({ id }) => id)).toEqual(NEWEST.map((number) => `${session.id}:${number}`));
  });

  it("lists the newest of 200 prompts that another agent was given at once, each of them once", async () => {
    const { session, reopened, published } = await inFiles();
    await manyAtOnce(async (number) => session.prompt(`prompt ${number}`, host(number)));
    await session.close();
    const view = await reopened();
    expect(await numbersIn(view)).toEqual(ALL);
    expect((await view.entriesOf("host")).map(({ message }) => message)).toEqual(ALL.map(uuid));
    expect(published()).toEqual(NEWEST.map((number) => theirs(number, `prompt ${number}`)));
  });

  it("has each checkpoint and label as soon as the event loop turns, as a kill would find it", async () => {
    const { session, published } = await inFiles();
    const listed = async (): Promise<readonly string[]> => {
      await new Promise(setImmediate);
      return published().map(({ description }) => description);
    };
    await session.prompt("one");
    expect(await listed()).toEqual(["one"]);
    await session.prompt("two");
    await session.label(2, "named");
    expect(await listed()).toEqual(["named", "one"]);
    await session.checkpoint("by hand");
    expect(await listed()).toEqual(["by hand", "named", "one"]);
  });

  it.each([
    ["torn", (file: string) => writeFileSync(file, '{"checkpoints":[{"id":"x')],
    ["garbage", (file: string) => writeFileSync(file, Buffer.from([0, 255, 1]))],
    ["somebody's own list", (file: string) => writeFileSync(file, '{"checkpoints":[{"id":"mine"}]}')],
    ["missing", (file: string) => rmSync(file)],
    ["missing with its folder", (file: string) => rmSync(join(file, ".."), { recursive: true })],
    ["followed by what a crash left", (file: string) => writeFileSync(`${file}.new`, "half of")],
  ])("is whole again with the next checkpoint if it is %s and was not read", async (_what, harm) => {
    const { session, file, folder, published, again } = await inFiles();
    await session.prompt("one", host(1));
    await session.close();
    expect(published()).toEqual([theirs(1, "one")]);
    harm(file);
    const next = await again();
    await next.prompt("two", host(2));
    await next.close();
    expect(published()).toEqual([theirs(2, "two"), theirs(1, "one")]);
    expect(readdirSync(folder)).toEqual(["metadata.json"]);
  });

  it("stays as it was, whole, when the disk is full, and costs no prompt", async () => {
    const disk = filling();
    const { session, published, reopened, again } = await inFiles(disk);
    await session.prompt("one", host(1));
    await session.close();
    disk.isFull = true;
    const next = await again();
    expect(await next.prompt("two", host(2))).toMatchObject({ checkpoint: 2 });
    await next.close();
    expect(published()).toEqual([theirs(1, "one")]);
    expect(await numbersIn(await reopened())).toEqual([1, 2]);
    disk.isFull = false;
    const third = await again();
    await third.checkpoint("three");
    await third.close();
    expect(published().map(({ description }) => description)).toEqual(["three", "two", "one"]);
  });
});

/** A disk that, when full, writes only half of a published list but everything else. */
function filling(): Disk & { isFull: boolean } {
  const lists = new Set<number>();
  const disk = {
    ...realDisk,
    isFull: false,
    open: (...[path, how]: Parameters<Disk["open"]>): number => {
      const file = realDisk.open(path, how);
      lists.delete(file);
      if (path.includes("metadata.json")) lists.add(file);
      return file;
    },
    write: (...[file, bytes]: Parameters<Disk["write"]>): number => {
      if (!disk.isFull || !lists.has(file)) return realDisk.write(file, bytes);
      realDisk.write(file, bytes.subarray(0, bytes.length / 2));
      throw systemError("ENOSPC", "no space left on device");
    },
  };
  return disk;
}

describe("a list of checkpoints that cannot be written", () => {
  /** A file in place of the folder, so that the folder cannot be created, not even by root. */
  async function blocked() {
    const temporary = tempFolder();
    onTestFinished(() => temporary.remove());
    const root = temporary.path;
    const store = openFilesStore({ root, clock: new ManualClock() });
    const deps = { store, clock: new ManualClock() };
    const session = await createSession(deps, { workspace: "/w" }, { name: "a test" });
    onTestFinished(() => store.close());
    const folder = join(root, "sessions", session.id);
    rmSync(join(folder, "checkpoints"), { recursive: true, force: true });
    writeFileSync(join(folder, "checkpoints"), "");
    const failures: string[] = [];
    const listen = (to: Session): void =>
      void to.on((event) => {
        if (event.type === "publish-failed") failures.push(event.error.code);
      });
    listen(session);
    return { deps, session, folder, failures, listen };
  }

  it("is reported once, costs no checkpoint, and is reported again only after it went well", async () => {
    const { session, folder, failures } = await blocked();
    await session.prompt("one");
    await session.published();
    await session.prompt("two");
    await session.published();
    expect(failures).toEqual(["STORE_UNWRITABLE"]);
    expect(session.outline.linesOf("checkpoint")).toHaveLength(2);
    rmSync(join(folder, "checkpoints"));
    await session.prompt("three");
    await session.published();
    expect(readFileSync(join(folder, "checkpoints", "metadata.json"), "utf8")).toContain("three");
    rmSync(join(folder, "checkpoints"), { recursive: true });
    writeFileSync(join(folder, "checkpoints"), "");
    await session.prompt("four");
    await session.published();
    expect(failures).toHaveLength(2);
    await session.close();
  });

  it("is brought up to date by the next program that opens the session, as after a kill", async () => {
    const { deps, session, folder, failures, listen } = await blocked();
    await session.prompt("one");
    await session.close();
    rmSync(join(folder, "checkpoints"));
    const again = await holdSession(deps, session.id, { name: "a test" });
    listen(again);
    await again.close();
    expect(readFileSync(join(folder, "checkpoints", "metadata.json"), "utf8")).toContain('"one"');
    expect(failures).toHaveLength(1);
  });
});

describe("comparing a published list with the log", () => {
  const at = (description: string): PublishedCheckpoint => theirs(1, description);
  const localTime = `Checkpoint at ${new Date(AT).toTimeString().slice(0, 8)}`;

  it("takes a time of any time zone for the time of the log", () => {
    for (const listed of ["Checkpoint at 05:45:00", "Checkpoint at 13:30:00", localTime]) {
      expect(isSameList([at(localTime)], [at(listed)])).toBe(true);
    }
  });

  it("sees a different time, text, id or length", () => {
    expect(isSameList([at(localTime)], [at("Checkpoint at 05:45:01")])).toBe(false);
    expect(isSameList([at(localTime)], [at("find the leak")])).toBe(false);
    expect(isSameList([at("find the leak")], [at(localTime)])).toBe(false);
    expect(isSameList([at("same")], [theirs(2, "same")])).toBe(false);
    expect(isSameList([at("same")], [])).toBe(false);
  });
});
