import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeCheckpoint } from "../../../src/app/checkpoints/make-checkpoint.ts";
import {
  checkTarget,
  exportedDocument,
  exportSession,
  type Format,
  writePieces,
} from "../../../src/app/sessions/export.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { exportJson } from "../../../src/machine/exchange/export-json.ts";
import { exportMarkdown } from "../../../src/machine/exchange/export-markdown.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { markdownTexts } from "../../../src/show/entry-text.ts";
import { en } from "../../../src/strings/en.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { handlesLeftBy } from "../support/open-handles.ts";
import { recordingContext } from "../support/recording-context.ts";
import { writeSession } from "../support/write-session.ts";

function place(cancelled?: AbortSignal) {
  const shop = workshop();
  const recorded = recordingContext(shop, cancelled === undefined ? {} : { cancelled });
  const at = (name: string) => join(shop.workspace, name);
  return { ...shop, ...recorded, at };
}

describe("the target of an export", () => {
  it("is a new file, or one that may be replaced, and never a link", async () => {
    const { context, at, put, root } = place();
    put("old.md", "old");
    symlinkSync(at("old.md"), at("link.md"));
    symlinkSync(at("."), join(root, "way-in"));
    expect([
      await checkTarget(context, "new.md", "keep"),
      await checkTarget(context, at("new.md"), "replace"),
      await checkTarget(context, "../way-in/new.md", "keep"),
      await checkTarget(context, "link.md", "replace"),
      await checkTarget(context, "../home.md", "keep"),
    ]).toEqual([at("new.md"), at("new.md"), at("new.md"), at("old.md"), join(root, "home.md")]);
  });

  it("is nothing else", async () => {
    const { context, at, put, home, root, workspace } = place();
    put("old.md", "old");
    put("full/a.txt", "");
    mkdirSync(home);
    symlinkSync(home, join(root, "way-in"));
    symlinkSync("loop", at("loop"));
    const refusals = async (...files: readonly string[]) =>
      Promise.all(
        files.map(async (file) => checkTarget(context, file, "keep").catch((error: unknown) => error)),
      );
    const cause = (code: string) => ({ cause: expect.objectContaining({ code }) });
    expect(
      await refusals(
        " ",
        "old.md",
        "full",
        "no/where.md",
        "../home/a.md",
        "../way-in/a.md",
        "../home",
        "loop",
      ),
    ).toEqual([
      new WorldlineError("output-empty", {}),
      new WorldlineError("output-exists", { path: at("old.md") }),
      new WorldlineError("output-not-a-file", { path: at("full") }),
      new WorldlineError("output-folder-unwritable", { folder: join(workspace, "no") }, cause("ENOENT")),
      new WorldlineError("target-inside-home", { path: join(home, "a.md") }),
      new WorldlineError("target-inside-home", { path: join(home, "a.md") }),
      new WorldlineError("target-inside-home", { path: home }),
      new WorldlineError("output-unwritable", { path: at("loop") }, cause("ELOOP")),
    ]);
  });
});

async function* pieces(...all: readonly (string | Uint8Array)[]) {
  yield* all;
}

describe("writing a file", () => {
  it("reports each piece, counts bytes, and keeps the file private", async () => {
    const { context, at, files } = place();
    const seen: number[] = [];
    const onProgress = (bytes: number) => seen.push(bytes);
    const content = pieces("größe", Buffer.from("\n"));
    expect(await writePieces(context, content, { path: at("a.md"), existing: "keep", onProgress })).toBe(8);
    expect([seen, files(), statSync(at("a.md")).mode & 0o777]).toEqual([
      [7, 8],
      { "a.md": "größe\n" },
      0o600,
    ]);
  });

  it("replaces a file only if it may", async () => {
    const { context, at, put, files } = place();
    put("a.md", "old");
    const write = async (existing: "keep" | "replace") =>
      writePieces(context, pieces("new"), { path: at("a.md"), existing, onProgress: () => undefined });
    await expect(write("keep")).rejects.toEqual(
      new WorldlineError(
        "output-exists",
        { path: at("a.md") },
        { cause: expect.objectContaining({ code: "EEXIST" }) },
      ),
    );
    expect(files()).toEqual({ "a.md": "old" });
    await write("replace");
    expect(files()).toEqual({ "a.md": "new" });
  });

  it("says that its temporary file has disappeared", async () => {
    const { context, at, workspace } = place();
    const onProgress = () => {
      for (const name of readdirSync(workspace)) rmSync(at(name));
    };
    await expect(
      writePieces(context, pieces("all"), { path: at("a.md"), existing: "keep", onProgress }),
    ).rejects.toMatchObject({ reason: "file-unwritable", cause: { code: "ENOENT" } });
  });

  it("leaves nothing behind if it fails or is canceled", async () => {
    const user = new AbortController();
    const { context, at, files } = place(user.signal);
    const options = { path: at("a.md"), existing: "keep", onProgress: () => undefined } as const;
    const failing = async (thrown: unknown) => {
      const broken = async function* () {
        yield "half";
        throw thrown;
      };
      return writePieces(context, broken(), options).catch((error: unknown) => error);
    };
    const known = new WorldlineError("output-empty", {});
    expect(await failing(known)).toBe(known);
    for (const [thrown, reason, why] of [
      [Object.assign(new Error("No space."), { code: "ENOSPC" }), "no-room-for-file", "No space."],
      [Object.assign(new Error("Over quota."), { code: "EDQUOT" }), "no-room-for-file", "Over quota."],
      [new Error("It broke."), "file-unwritable", "It broke."],
      ["a text", "file-unwritable", "a text"],
    ] as const)
      expect(await failing(thrown)).toEqual(
        new WorldlineError(reason, { path: at("a.md"), why }, { cause: thrown }),
      );
    user.abort();
    await expect(writePieces(context, pieces("half", "rest"), options)).rejects.toEqual(
      new WorldlineError("cancelled", { left: "unwritten" }),
    );
    expect(files()).toEqual({});
  });
});

const texts = markdownTexts(en);

/** A session in a workspace with one file, of which one checkpoint was made. */
async function withSession() {
  const shop = place();
  const { context, put } = shop;
  const session = await writeSession(shop);
  put(".gitignore", "*.key\n");
  put("a.key", "secret\n");
  put("a.txt", "a\n");
  await makeCheckpoint(context, undefined, "test");
  const store = openStore(context);
  const view = await viewSession(store, session);
  const exported = async (format: Format, files: "include" | "leave-out" | "none" = "none") => {
    const written: Buffer[] = [];
    const { files: counts, written: result } = await exportSession(context, {
      ...({ view, store, format, branch: "all", texts, files } as const),
      write: async (all) => {
        for await (const piece of all) written.push(Buffer.from(piece as string));
        return "done";
      },
    });
    return { result, counts, bytes: Buffer.concat(written) };
  };
  return { ...shop, session, view, exported };
}

describe("an exported session", () => {
  it("is Markdown or JSON, as a file or as part of a document", async () => {
    const { view, session, exported } = await withSession();
    const markdown = await exportMarkdown(view, { branch: "all", texts });
    const json = await exportJson(view);
    const [asMarkdown, asJson] = [await exported("markdown"), await exported("json", "include")];
    expect([asMarkdown.result, asMarkdown.counts, asMarkdown.bytes.toString()]).toEqual([
      "done",
      undefined,
      markdown,
    ]);
    expect([asJson.counts, JSON.parse(asJson.bytes.toString())]).toEqual([
      undefined,
      JSON.parse(JSON.stringify(json)),
    ]);
    const lines = asJson.bytes.toString().split("\n");
    expect(lines.slice(1, -2).map((line) => JSON.parse(line.replace(/,$/u, "")).seq)).toEqual(
      json.entries.map(({ seq }) => seq),
    );
    expect(lines.slice(-2)).toEqual(["]}", ""]);
    const document = async (format: Format) => exportedDocument(view, { format, branch: "all", texts });
    expect(await document("json")).toEqual(json);
    expect(await document("markdown")).toEqual({ session, format: "markdown", content: markdown });
  });

  it("keeps no file open", async () => {
    const { exported, context, at } = await withSession();
    expect(await handlesLeftBy(async () => exported("bundle", "include"))).toBeLessThanOrEqual(0);
    const options = { path: at("a.md"), existing: "replace", onProgress: () => undefined } as const;
    const write = async () => writePieces(context, pieces("all"), options);
    expect(await handlesLeftBy(write)).toBeLessThanOrEqual(0);
  });

  it("is a bundle, with the files that are wanted", async () => {
    const { exported } = await withSession();
    const [without, some, all] = [
      await exported("bundle"),
      await exported("bundle", "leave-out"),
      await exported("bundle", "include"),
    ];
    expect([without.result, without.counts]).toEqual(["done", undefined]);
    expect(without.bytes.subarray(0, 2).toString("hex")).toBe("1f8b");
    const counts = (ignored: number) =>
      expect.objectContaining({ snapshots: 1, missing: 0, absent: { ignored, forgotten: 0, missing: 0 } });
    expect([some.counts, all.counts]).toEqual([counts(1), counts(0)]);
  });
});
