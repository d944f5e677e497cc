import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeCheckpoint } from "../../../src/app/checkpoints/make-checkpoint.ts";
import { exportSession, writePieces } from "../../../src/app/sessions/export.ts";
import { importableSessions, importSession } from "../../../src/app/sessions/import.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { markdownTexts } from "../../../src/show/entry-text.ts";
import { en } from "../../../src/strings/en.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { handlesLeftBy } from "../support/open-handles.ts";
import { recordingContext } from "../support/recording-context.ts";
import { ruinLog } from "../support/ruin-log.ts";
import { writeSession } from "../support/write-session.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures/kimi");

function place(given: Parameters<typeof recordingContext>[1] = {}) {
  const shop = workshop();
  const recorded = recordingContext(shop, given);
  const begun: string[] = [];
  const bring = async (
    path: string,
    { from, piped }: { from?: "bundle" | "kimi"; piped?: Uint8Array } = {},
    context = recorded.context,
  ) =>
    importSession(context, {
      path,
      from,
      readPiped: async (maxBytes) => {
        begun.push(`piped ${maxBytes}`);
        return Buffer.from(piped ?? []);
      },
      onBegin: () => begun.push("begun"),
    });
  return { ...shop, ...recorded, begun, bring, at: (name: string) => join(shop.workspace, name) };
}

/** Writes a bundle of a session with the files of one checkpoint. */
async function bundled() {
  const from = place();
  from.put("a.txt", "a\n");
  const { session } = await makeCheckpoint(from.context, undefined, "test");
  const store = openStore(from.context);
  const view = await viewSession(store, session);
  const path = join(from.root, "theirs.bundle");
  const texts = markdownTexts(en);
  const content = { view, store, format: "bundle", branch: "all", texts, files: "include" } as const;
  await exportSession(from.context, {
    ...content,
    write: async (pieces) =>
      writePieces(from.context, pieces, { path, existing: "keep", onProgress: () => undefined }),
  });
  return { session, path, claimed: from.workspace };
}

describe("importing a bundle", () => {
  it("brings in the session and its files, from a file or a pipe", async () => {
    const { session, path, claimed } = await bundled();
    const fromFile = place();
    const expected = {
      from: "bundle",
      status: "imported",
      session,
      original: session,
      entries: expect.any(Number),
      blobs: 0,
      files: expect.objectContaining({ snapshots: 1 }),
      warnings: [],
      remarks: [],
    };
    expect(await fromFile.bring(path)).toEqual(expected);
    expect(fromFile.begun).toEqual(["begun"]);
    expect(existsSync(join(fromFile.home, "snapshots", "refs", `${session}.jsonl`))).toBe(true);
    expect(await fromFile.bring(path, { from: "bundle" })).toMatchObject({ status: "already-here" });
    const store = openStore(fromFile.context);
    expect((await viewSession(store, session)).header.confirmation?.stored.workspace).toBe(claimed);
    const named = workshop();
    const { context } = recordingContext(named, { common: { workspace: named.workspace } });
    const fromPipe = place();
    expect(await fromPipe.bring("-", { piped: readFileSync(path) }, context)).toEqual(expected);
    expect(fromPipe.begun).toEqual([`piped ${1024 ** 3}`, "begun"]);
    const view = await viewSession(openStore(context), session);
    expect(view.header.confirmation?.stored.workspace).toBe(named.workspace);
  });
});

describe("an import", () => {
  it("keeps no file open", async () => {
    const { path } = await bundled();
    const { bring } = place();
    expect(await handlesLeftBy(async () => bring(path))).toBeLessThanOrEqual(0);
  });
});

describe("the source of an import", () => {
  it("is recognized by its content or its name", async () => {
    const { bring, at, put, begun } = place();
    put("empty.jsonl", "");
    put("brace.bundle", "{");
    put("notes.txt", "notes");
    put("empty", "");
    mkdirSync(at("folder"));
    const refusal = async (path: string, from?: "bundle" | "kimi") =>
      bring(path, from === undefined ? {} : { from }).catch((error: unknown) => error);
    const unknown = (path: string) => new WorldlineError("import-of-unknown-kind", { path: at(path) });
    expect(await refusal("notes.txt")).toEqual(unknown("notes.txt"));
    expect(await refusal("empty")).toEqual(unknown("empty"));
    expect(await refusal("brace.bundle")).toEqual(unknown("brace.bundle"));
    expect(await refusal("folder", "bundle")).toEqual(
      new WorldlineError("bundle-not-a-file", { path: at("folder") }),
    );
    expect(await refusal("nowhere")).toEqual(
      new WorldlineError(
        "import-not-found",
        { path: at("nowhere"), code: "ENOENT" },
        { cause: expect.objectContaining({ code: "ENOENT" }) },
      ),
    );
    expect(await refusal("-", "kimi")).toEqual(new WorldlineError("kimi-from-pipe", {}));
    expect(begun).toEqual([]);
    put("brace", "{");
    for (const kimi of ["brace", "empty.jsonl", "folder"])
      expect(await refusal(kimi)).not.toMatchObject({ reason: "import-of-unknown-kind" });
    expect(begun).toEqual(["begun", "begun", "begun"]);
    expect(await refusal("notes.txt", "bundle")).toBeInstanceOf(WorldlineError);
  });

  it.runIf(process.platform === "linux")("is refused if it cannot be read", async () => {
    const { bring } = place();
    const path = "/proc/self/mem";
    const refused = new WorldlineError(
      "import-unreadable",
      { path, why: "EIO" },
      { cause: expect.objectContaining({ code: "EIO" }) },
    );
    await expect(bring(path)).rejects.toEqual(refused);
    await expect(bring(path, { from: "bundle" })).rejects.toEqual(refused);
  });
});

/** kimi-cli's folder with one session. */
function withKimi() {
  const shop = workshop();
  const share = join(shop.root, "kimi");
  const folder = join(share, "imported_sessions", "plain");
  cpSync(join(FIXTURES, "plain"), folder, { recursive: true });
  const environment = { KIMI_SHARE_DIR: share };
  const common = { workspace: shop.workspace };
  return { ...shop, ...recordingContext(shop, { environment, common }), share, folder };
}

describe("importing from kimi-cli", () => {
  it("lists what can be imported, and what already was", async () => {
    const { context, share, folder, home, workspace } = withKimi();
    const session = { path: folder, name: "plain", files: 1, modified: expect.any(Number) };
    const found = expect.objectContaining(session);
    expect(await importableSessions(context)).toEqual({ folder: share, sessions: [found] });
    const ruined = await writeSession({ home, workspace });
    await writeSession({ home, workspace });
    ruinLog(home, ruined);
    const [before] = (await importableSessions(context)).sessions;
    expect(before?.importedAs).toEqual([]);
    const options = {
      path: folder,
      from: undefined,
      readPiped: async () => Buffer.of(),
      onBegin: () => undefined,
    };
    const first = await importSession(context, options);
    expect(first).toMatchObject({ from: "kimi", workspace, original: "plain", importedBefore: [] });
    const second = await importSession(context, { ...options, path: join(folder, "context.jsonl") });
    expect(second).toMatchObject({ from: "kimi", importedBefore: [first.session] });
    const [after] = (await importableSessions(context)).sessions;
    expect(new Set(after?.importedAs)).toEqual(new Set([first.session, second.session]));
  });
});
