import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkExportTarget, selectFiles, writeExport } from "../../../src/app/files/export.ts";
import { openWorkspaceFiles } from "../../../src/open-files.ts";
import type { PathState } from "../../../src/ports/workspace-files.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import type { ObjectHash } from "../../../src/record/ids.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { recordingContext } from "../support/recording-context.ts";

/** The states of a small tree; a file's hash is its content. */
const file = (path: string, content: string, mode = 0o644): PathState => ({
  path,
  state: { kind: "file", mode, size: content.length, hash: content as ObjectHash },
});
const folder = (path: string, mode: number): PathState => ({
  path,
  state: { kind: "folder", mode, hash: "f" as ObjectHash },
});
const tree: readonly PathState[] = [
  folder("", 0o755),
  file("a.sh", "true\n", 0o755),
  folder("closed", 0o500),
  folder("closed/deep", 0o750),
  file("closed/deep/b.txt", "b\n", 0o600),
  { path: "link", state: { kind: "link", target: "a.sh" } },
  { path: "huge", state: { kind: "left-out", why: "too-large" } },
];
const files = { content: async (hash: ObjectHash) => Buffer.from(hash) };

function place(cancelled?: AbortSignal) {
  const shop = workshop();
  const recorded = recordingContext(shop, cancelled === undefined ? {} : { cancelled });
  const target = (name = "out") => join(shop.root, name);
  return { ...shop, ...recorded, target };
}

describe("an export of files", () => {
  it("writes everything with its mode, and reports its progress", async () => {
    const { context, files: filesIn, target, progress } = place();
    const old = process.umask(0);
    onTestFinished(() => void process.umask(old));
    await writeExport(context, { files, states: tree, target: { folder: target(), state: "new" } });
    expect(filesIn(target())).toEqual({
      "a.sh": "true\n",
      closed: "/",
      "closed/deep": "/",
      "closed/deep/b.txt": "b\n",
      link: "-> a.sh",
    });
    const modes = ["a.sh", "closed", "closed/deep", "closed/deep/b.txt"].map(
      (path) => lstatSync(join(target(), path)).mode & 0o777,
    );
    expect(modes).toEqual([0o755, 0o500, 0o750, 0o600]);
    expect(progress).toEqual([
      ...tree.map((_, done) => ({ doing: "export", done, of: tree.length })),
      "done",
    ]);
  });

  it("leaves the mode of an existing folder alone", async () => {
    const { context, target } = place();
    mkdirSync(target(), { mode: 0o711 });
    chmodSync(target(), 0o711);
    await writeExport(context, { files, states: tree, target: { folder: target(), state: "empty" } });
    expect(readdirSync(target())).toEqual(["a.sh", "closed", "link"]);
    expect(statSync(target()).mode & 0o777).toBe(0o711);
  });

  it("leaves nothing behind if it fails", async () => {
    const { context, target, progress } = place();
    const lost = new WorldlineError("stated", { code: "SNAPSHOT_DAMAGED", message: "It is lost." });
    const failing = {
      content: async (hash: ObjectHash) => {
        if (hash === "b\n") throw lost;
        return Buffer.from(hash);
      },
    };
    const request = { files: failing, states: tree };
    await expect(
      writeExport(context, { ...request, target: { folder: target(), state: "new" } }),
    ).rejects.toBe(lost);
    expect(existsSync(target())).toBe(false);
    mkdirSync(target("there"));
    await expect(
      writeExport(context, { ...request, target: { folder: target("there"), state: "empty" } }),
    ).rejects.toBe(lost);
    expect(readdirSync(target("there"))).toEqual([]);
    expect(progress.filter((each) => each === "done")).toHaveLength(2);
  });

  it("says why something could not be written, and keeps what others have written", async () => {
    const { context, target } = place();
    mkdirSync(target());
    const failing = {
      content: async () => {
        writeFileSync(join(target(), "theirs"), "");
        throw Object.assign(new Error("It does not fit."), { code: "ENOSPC" });
      },
    };
    const request = { files: failing, states: tree, target: { folder: target(), state: "empty" } } as const;
    await expect(writeExport(context, request)).rejects.toEqual(
      new WorldlineError(
        "no-room-for-export",
        { folder: target(), why: "It does not fit." },
        { cause: expect.objectContaining({ code: "ENOSPC" }) },
      ),
    );
    expect(readdirSync(target())).toEqual(["theirs"]);
    for (const [thrown, reason, why] of [
      [Object.assign(new Error("Over quota."), { code: "EDQUOT" }), "no-room-for-export", "Over quota."],
      [new Error("It broke."), "export-not-written", "It broke."],
      ["a text", "export-not-written", "a text"],
    ] as const) {
      const content = () => Promise.reject(thrown);
      const folder = target(why);
      await expect(
        writeExport(context, { files: { content }, states: tree, target: { folder, state: "new" } }),
      ).rejects.toEqual(new WorldlineError(reason, { folder, why }, { cause: thrown }));
      expect(existsSync(folder)).toBe(false);
    }
  });

  it("says that its folder could not be created", async () => {
    const { context, target } = place();
    writeFileSync(target(), "");
    const request = { files, states: tree, target: { folder: target(), state: "new" } } as const;
    await expect(writeExport(context, request)).rejects.toEqual(
      new WorldlineError(
        "export-folder-not-made",
        { folder: target(), why: `Error: EEXIST: file already exists, mkdir '${target()}'` },
        { cause: expect.objectContaining({ code: "EEXIST" }) },
      ),
    );
  });

  it("can be canceled between two files", async () => {
    const user = new AbortController();
    const { context, target, progress } = place(user.signal);
    const canceling = {
      content: async (hash: ObjectHash) => {
        setImmediate(() => user.abort());
        return Buffer.from(hash);
      },
    };
    await expect(
      writeExport(context, { files: canceling, states: tree, target: { folder: target(), state: "new" } }),
    ).rejects.toEqual(new WorldlineError("cancelled", { left: "unexported" }));
    expect(existsSync(target())).toBe(false);
    expect(progress).toEqual([
      { doing: "export", done: 0, of: tree.length },
      { doing: "export", done: 1, of: tree.length },
      "done",
    ]);
  });
});

describe("the target of an export", () => {
  it("is a new or an empty folder, found from the current one", async () => {
    const { context, root, workspace } = place();
    mkdirSync(join(workspace, "empty"));
    symlinkSync(workspace, join(root, "link"));
    expect(await checkExportTarget(context, "new")).toEqual({ folder: join(workspace, "new"), state: "new" });
    expect(await checkExportTarget(context, "empty")).toEqual({
      folder: join(workspace, "empty"),
      state: "empty",
    });
    expect(await checkExportTarget(context, "../link/new")).toEqual({
      folder: join(workspace, "new"),
      state: "new",
    });
    expect(await checkExportTarget(context, "../home-too")).toEqual({
      folder: join(root, "home-too"),
      state: "new",
    });
  });

  it("is nothing else", async () => {
    const { context, root, workspace, home, put } = place();
    put("full/a.txt", "");
    put("file", "");
    mkdirSync(join(home, "below"), { recursive: true });
    symlinkSync(home, join(root, "link"));
    const refusal = async (given: string) =>
      checkExportTarget(context, given).catch((error: unknown) => error);
    expect(
      await Promise.all(["", "  ", "full", "file", "no/where", "../home", "../link/new"].map(refusal)),
    ).toEqual([
      new WorldlineError("export-folder-unnamed", {}),
      new WorldlineError("export-folder-unnamed", {}),
      new WorldlineError("export-folder-not-empty", { folder: join(workspace, "full") }),
      new WorldlineError(
        "export-folder-unusable",
        { folder: join(workspace, "file") },
        { cause: expect.objectContaining({ code: "ENOTDIR" }) },
      ),
      new WorldlineError(
        "export-folder-without-parent",
        { folder: join(workspace, "no") },
        { cause: expect.objectContaining({ code: "ENOENT" }) },
      ),
      new WorldlineError("target-inside-home", { path: home }),
      new WorldlineError("target-inside-home", { path: join(home, "new") }),
    ]);
  });

  it("is not Worldline's home even before the home exists", async () => {
    const { context, home } = place();
    await expect(checkExportTarget(context, "../home")).rejects.toEqual(
      new WorldlineError("target-inside-home", { path: home }),
    );
  });
});

describe("the selection of files to export", () => {
  it("leaves out what the ignore rules name, unless it is wanted", async () => {
    const { workspace, home, put } = place();
    put(".gitignore", "*.key\n");
    put("a.key", "secret\n");
    put("a.txt", "a\n");
    mkdirSync(join(workspace, "node_modules"));
    const opened = await openWorkspaceFiles({ workspace, home, threads: "none" });
    onTestFinished(async () => opened.close());
    const { snapshot } = await opened.capture({ look: "everything" });
    const names = (states: readonly PathState[]) => states.map(({ path }) => path);
    const chosen = async (wanted: "include" | "leave-out") => {
      const { states, ignored, leftOut } = await selectFiles(opened, snapshot, wanted);
      return { states: names(states), ignored: names(ignored), leftOut: names(leftOut) };
    };
    expect(await chosen("leave-out")).toEqual({
      states: ["", ".gitignore", "a.txt"],
      ignored: ["a.key"],
      leftOut: ["node_modules"],
    });
    expect(await chosen("include")).toEqual({
      states: ["", ".gitignore", "a.key", "a.txt"],
      ignored: [],
      leftOut: ["node_modules"],
    });
  });
});
