import { randomBytes } from "node:crypto";
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  noteCaptured,
  openFiles,
  patiently,
  requireFiles,
  retentionOf,
  tidyStore,
  touchedIn,
  whyNotCaptured,
  withFiles,
  withFilesIfAny,
} from "../../../src/app/files/files.ts";
import type { LoadedSettings } from "../../../src/app/settings/settings.ts";
import { realDisk } from "../../../src/disk/disk.ts";
import { realProcesses } from "../../../src/disk/lock-owner.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { openWorkspaceFiles } from "../../../src/open-files.ts";
import { remark, WorldlineError } from "../../../src/record/error.ts";
import type { SnapshotId } from "../../../src/record/ids.ts";
import { openSnapshotContext, snapshotPlaces } from "../../../src/snapshots/context.ts";
import { acquireExclusive } from "../../../src/snapshots/keeping/shared-lease.ts";
import { sessionNumber } from "../../../src/testing/testing.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { recordingContext } from "../support/recording-context.ts";

function place(given: Parameters<typeof recordingContext>[1] = {}) {
  const shop = workshop();
  return { ...shop, ...recordingContext(shop, given), snapshots: snapshotPlaces(shop.home) };
}

const off = { common: { settings: { enableFileCheckpointing: "false" } } };

describe("the files of a workspace", () => {
  it("are open, unless the settings turn them off", async () => {
    const { context, workspace } = place();
    const opened = await openFiles(context, workspace);
    onTestFinished(async () => opened.files?.close());
    expect(opened).toEqual({ state: "on", files: expect.objectContaining({ folder: workspace }) });
    expect(requireFiles(opened)).toBe(opened.files);
    expect(touchedIn(opened)).toEqual({});
    const without = await openFiles(place(off).context, workspace);
    const error = new WorldlineError("checkpointing-off", {});
    expect(without).toEqual({ state: "off", error });
    expect(() => requireFiles(without)).toThrow(error);
    expect(touchedIn(without)).toEqual({});
  });

  it("cannot be used if the folder is gone, or is a file", async () => {
    const { context, root, workspace, put } = place();
    put("file", "");
    for (const folder of [join(root, "gone"), join(workspace, "file")]) {
      const opened = await openFiles(context, folder);
      expect(opened).toEqual({ state: "unusable", error: new WorldlineError("workspace-gone", { folder }) });
      expect(touchedIn(opened)).toEqual({});
    }
  });

  it("are only tracked in a folder that is never captured", async () => {
    const opened = await openFiles(place().context, "/");
    expect(opened).toEqual({
      state: "unusable",
      tracked: "touched",
      error: new WorldlineError("workspace-too-wide", { folder: "/", is: "wider" }),
    });
    expect(touchedIn(opened)).toEqual({ touchedFiles: "follow" });
  });

  it("cannot be used if the store cannot be read", async () => {
    const { context, home, workspace } = place();
    mkdirSync(home);
    writeFileSync(join(home, "snapshots"), "");
    expect(await openFiles(context, workspace)).toEqual({
      state: "unusable",
      error: expect.objectContaining({ name: "WorldlineError", code: "STORE_UNREADABLE" }),
    });
  });

  it("are captured under Worldline's name, without files that are too large for the settings", async () => {
    const settings = { "snapshots.maxFileBytes": "1048576", "lock.waitMs": "0" };
    const { context, home, workspace, put, snapshots } = place({ common: { settings } });
    put("large", Buffer.alloc(1_048_577));
    const files = requireFiles(await openFiles(context, workspace));
    onTestFinished(async () => files.close());
    const deps = openSnapshotContext({
      home,
      disk: realDisk,
      clock: systemClock,
      processes: realProcesses(),
    });
    const lease = async () => acquireExclusive(deps, snapshots.leases, { name: "a cleanup", waitMs: 0 });
    const meanwhile: Promise<unknown>[] = [];
    const { snapshot } = await files.capture({
      look: "everything",
      onProgress: () => meanwhile.push(lease().catch((error: unknown) => error)),
    });
    expect(await files.stateAt(snapshot, "large")).toEqual({ kind: "left-out", why: "too-large" });
    expect(await meanwhile[0]).toMatchObject({ message: expect.stringContaining("in use by worldline (") });
    const held = await lease();
    await expect(files.capture({ look: "everything" })).rejects.toMatchObject({
      message: expect.stringContaining("a cleanup"),
    });
    await held.release();
  });

  it("hide no error that is not about the files", async () => {
    const { context, workspace } = place();
    const bug = new TypeError("broken");
    const common = Object.defineProperty({ ...context.common }, "store", {
      get: () => {
        throw bug;
      },
    });
    await expect(openFiles({ ...context, common }, workspace)).rejects.toBe(bug);
  });

  it.runIf(process.platform === "linux")("cannot be used if the folder is removed meanwhile", async () => {
    const { context, root } = place();
    const folder = join(root, "short-lived");
    mkdirSync(folder);
    const held = openSync(folder, "r");
    onTestFinished(() => closeSync(held));
    rmdirSync(folder);
    const why = `Error: ENOENT: no such file or directory, lstat '${folder} (deleted)'`;
    expect(await openFiles(context, `/proc/self/fd/${held}`)).toEqual({
      state: "unusable",
      error: new WorldlineError(
        "snapshot-store-unopened",
        { why },
        { cause: expect.objectContaining({ code: "ENOENT" }) },
      ),
    });
  });
});

describe("a list that needs the files for one column", () => {
  const problem = new WorldlineError("workspace-gone", { folder: "/gone" });

  it("gets them, and closes them", async () => {
    const { context, workspace, notices } = place();
    let closed = 0;
    const folder = await withFilesIfAny(context, workspace, async (files) => {
      const { close } = files ?? {};
      if (files !== undefined)
        files.close = async () => {
          closed += 1;
          await close?.call(files);
        };
      return files?.folder;
    });
    expect({ folder, closed, notices }).toEqual({ folder: workspace, closed: 1, notices: [] });
  });

  it("goes without them, silently if they are off or never captured", async () => {
    for (const [context, folder] of [
      [place(off), place().workspace],
      [place(), "/"],
      [place(), "/gone"],
    ] as const) {
      expect(await withFilesIfAny(context.context, folder, async (files) => files)).toBeUndefined();
      expect(context.notices).toEqual([]);
    }
  });

  it("goes without them with a warning if they cannot be read", async () => {
    const { context, home, workspace, notices } = place();
    mkdirSync(home);
    writeFileSync(join(home, "snapshots"), "");
    expect(await withFilesIfAny(context, workspace, async (files) => files)).toBeUndefined();
    expect(notices).toEqual([
      { code: "files-unknown", problem: expect.objectContaining({ code: "STORE_UNREADABLE" }) },
    ]);
  });

  it("is tried once more without them if it fails, unless the error is not Worldline's", async () => {
    const { context, workspace, notices } = place();
    const rows = await withFilesIfAny(context, workspace, async (files) => {
      if (files !== undefined) throw problem;
      return "rows";
    });
    expect(rows).toBe("rows");
    expect(notices).toEqual([{ code: "files-unknown", problem }]);
    const other = place();
    const bug = new TypeError("broken");
    await expect(withFilesIfAny(other.context, workspace, () => Promise.reject(bug))).rejects.toBe(bug);
    expect(other.notices).toEqual([]);
  });

  it("goes without them with a warning if the settings cannot be read", async () => {
    const { context, workspace, notices } = place({ common: { settings: { "trash.days": "many" } } });
    expect(await withFilesIfAny(context, workspace, async (files) => files)).toBeUndefined();
    expect(notices).toEqual([
      { code: "files-unknown", problem: expect.objectContaining({ reason: "setting-value-invalid" }) },
    ]);
  });
});

describe("work with the files of a workspace", () => {
  it("closes them, and ignores that they could not be closed", async () => {
    const { context, workspace } = place();
    const failing = (error: Error) =>
      withFiles(context, workspace, async ({ files }) => {
        if (files === undefined) return "no files";
        const { close } = files;
        files.close = async () => {
          await close.call(files);
          throw error;
        };
        return "done";
      });
    expect(await failing(new WorldlineError("output-empty", {}))).toBe("done");
    const bug = new TypeError("broken");
    await expect(failing(bug)).rejects.toBe(bug);
  });

  it("is done without them if they are off", async () => {
    const { context, workspace, home } = place(off);
    expect(await withFiles(context, workspace, async ({ state }) => state)).toBe("off");
    expect(home).toBe(context.home);
  });
});

describe("the reason why a checkpoint has no files, or not all", () => {
  it("is the one in the log", () => {
    expect(whyNotCaptured({ state: "pending" } as never)).toEqual(remark("capture-never-made"));
    expect(whyNotCaptured({ state: "let-go" } as never)).toEqual(remark("capture-never-made"));
    expect(whyNotCaptured({ state: "captured" } as never)).toBeUndefined();
    const why = { why: "Too large.", reason: "too-large", params: { bytes: 1 } };
    expect(whyNotCaptured({ state: "captured", ...why } as never)).toEqual(why);
    expect(whyNotCaptured({ state: "captured", why: "Too large." } as never)).toEqual({ why: "Too large." });
  });
});

type Explained = LoadedSettings["explained"][number];
type Layer = Explained["source"]["layer"];

describe("the number of checkpoints to keep", () => {
  const kept = (
    now: number,
    source: Layer | undefined,
    ...overrode: readonly (readonly [Layer, unknown])[]
  ) => {
    const setting = {
      key: "checkpointKeepCount",
      value: now,
      source: { layer: source },
      overrode: overrode.map(([layer, value]) => ({ value, source: { layer } })),
    } as unknown as Explained;
    const other = { ...setting, key: "trash.days", overrode: [{ value: 900, source: { layer: "user" } }] };
    return retentionOf({
      values: { checkpointKeepCount: now },
      explained: source === undefined ? [] : [other, setting],
    } as unknown as LoadedSettings);
  };

  it("can be raised by a workspace, but not lowered for other workspaces", () => {
    expect([
      kept(5, undefined),
      kept(5, "user", ["default", 100]),
      kept(5, "workspace", ["default", 100]),
      kept(5, "local", ["workspace", 900], ["user", 50], ["default", 100]),
      kept(500, "workspace", ["default", 100]),
      kept(5, "local", ["workspace", 900]),
      kept(5, "workspace", ["default", "many"]),
    ]).toEqual([5, 5, 100, 50, 500, 5, 5].map((keepCount) => ({ keepCount, keepJourneys: 10 })));
  });
});

const LIMIT = 1024 * 1024;

/** A store that is larger than its limit: checkpoints of a file that cannot be compressed. */
async function crowded() {
  const shop = place();
  const capture = async (checkpoint: number, bytes: number) => {
    shop.put("a.bin", randomBytes(bytes));
    const { home, workspace } = shop;
    const files = await openWorkspaceFiles({ home, workspace, threads: "none" });
    const keptFor = { session: sessionNumber(1), checkpoint, on: "manual" } as const;
    await files.capture({ keptFor, look: "everything" });
    await files.close();
  };
  await capture(1, 600_000);
  await capture(2, 600_000);
  const tidy = async (keep: number, limit: number = LIMIT) => {
    const settings = { "snapshots.maxBytes": `${limit}`, checkpointKeepCount: `${keep}` };
    const { context, notices, progress } = recordingContext(shop, { common: { settings } });
    await tidyStore(context);
    return { notices, progress };
  };
  const stamp = join(shop.snapshots.root, "tidied");
  const stamped = (size: number, ageMs: number) => {
    writeFileSync(stamp, `${size}\n`);
    const then = (Date.now() - ageMs) / 1000;
    utimesSync(stamp, then, then);
  };
  return { ...shop, capture, tidy, stamp, stamped };
}

const MINUTE_MS = 60_000;
const over = { code: "store-still-over", stored: expect.any(Number), limit: LIMIT };

describe("the store, after a capture", () => {
  it("is shrunk to its limit, and what was released is reported", async () => {
    const { tidy, stamp } = await crowded();
    const { notices, progress } = await tidy(1);
    expect(notices).toEqual([
      { code: "store-released", refs: [expect.objectContaining({ snapshot: expect.any(String) })] },
      { code: "store-tidied", freed: expect.any(Number), limit: LIMIT },
    ]);
    expect(progress.at(0)).toEqual({ doing: "collect", done: expect.any(Number), of: expect.any(Number) });
    expect(progress.at(-1)).toBe("done");
    expect(Number(readFileSync(stamp, "utf8"))).toBeLessThan(LIMIT);
    expect(readFileSync(stamp, "utf8")).toMatch(/^\d+\n$/u);
    expect(statSync(stamp).mode & 0o777).toBe(0o600);
  });

  it("is reported to be too large if nothing can be released, and then left alone for ten minutes", async () => {
    const { tidy, stamped } = await crowded();
    expect((await tidy(100)).notices).toEqual([over]);
    expect((await tidy(1)).notices).toEqual([]);
    stamped(0, 9 * MINUTE_MS);
    expect((await tidy(1)).notices).toEqual([]);
    stamped(0, -9 * MINUTE_MS);
    expect((await tidy(1)).notices).toEqual([]);
    stamped(0, 11 * MINUTE_MS);
    expect((await tidy(100)).notices).toEqual([over]);
    stamped(0, -11 * MINUTE_MS);
    expect((await tidy(100)).notices).toEqual([over]);
  });

  it("is shrunk at once if it is a fifth larger than its limit and its last size", async () => {
    const { tidy, stamped, capture } = await crowded();
    stamped(1_100_000, 0);
    expect((await tidy(100)).notices).toEqual([]);
    await capture(3, 150_000);
    stamped(1_250_000, 0);
    expect((await tidy(100)).notices).toEqual([]);
    stamped(1_100_000, 0);
    expect((await tidy(100)).notices).toEqual([over]);
    stamped(Number.NaN, 0);
    expect((await tidy(100)).notices).toEqual([over]);
  });

  it("is left alone within its limit", async () => {
    const { tidy } = await crowded();
    expect(await tidy(1, 4 * LIMIT)).toEqual({ notices: [], progress: [] });
  });

  it("stays as it is, with a warning, if it cannot be shrunk", async () => {
    const { tidy, snapshots, stamp } = await crowded();
    rmSync(snapshots.refs, { recursive: true });
    writeFileSync(snapshots.refs, "");
    expect(await tidy(1)).toEqual({
      notices: [
        {
          code: "store-not-tidied",
          stored: expect.any(Number),
          limit: LIMIT,
          problem: expect.objectContaining({ name: "WorldlineError" }),
        },
      ],
      progress: ["done"],
    });
    expect(readFileSync(stamp, "utf8")).toMatch(/^\d+\n$/u);
  });

  it("hides no error that is not Worldline's", async () => {
    const { home, workspace } = await crowded();
    const settings = { "snapshots.maxBytes": `${LIMIT}` };
    const { context } = recordingContext({ home, workspace }, { common: { settings } });
    const bug = new TypeError("broken");
    const progress = () => {
      throw bug;
    };
    await expect(tidyStore({ ...context, listener: { ...context.listener, progress } })).rejects.toBe(bug);
  });

  it("counts only its segments, and may be missing", async () => {
    const { context, notices, snapshots } = place();
    await tidyStore(context);
    expect(notices).toEqual([]);
    const tight = recordingContext(place(), { common: { settings: { "snapshots.maxBytes": `${LIMIT}` } } });
    const { segments } = snapshotPlaces(tight.context.home);
    mkdirSync(segments, { recursive: true });
    writeFileSync(join(segments, "other"), Buffer.alloc(2 * LIMIT));
    await tidyStore(tight.context);
    expect({ notices: tight.notices, progress: tight.progress }).toEqual({ notices: [], progress: [] });
    expect(snapshots.root).toContain(context.home);
  });

  it("is shrunk only after a command that captured", async () => {
    const shop = await crowded();
    const settings = { "snapshots.maxBytes": `${LIMIT}`, checkpointKeepCount: "1" };
    const { context, notices } = recordingContext(shop, { common: { settings } });
    await withFiles(context, shop.workspace, async () => undefined);
    expect(notices).toEqual([]);
    await withFiles(context, shop.workspace, async ({ files }) => files && noteCaptured(files));
    expect(notices.map(({ code }) => code)).toEqual(["store-released", "store-tidied"]);
  });
});

describe("slow work on files", () => {
  const snapshot = "s1" as SnapshotId;

  it("reports its progress, and passes the result on", async () => {
    const { context, progress } = place();
    const step = { doing: "collect", done: 1, of: 2 } as const;
    const result = await patiently(context, async ({ onProgress, signal }) => {
      onProgress(step as never);
      return signal.aborted ? "canceled" : snapshot;
    });
    expect(result).toBe(snapshot);
    expect(progress).toEqual([step, "done"]);
  });

  it("is canceled by the user, before it or while it runs", async () => {
    const user = new AbortController();
    const { context, progress } = place({ cancelled: user.signal });
    const error = new WorldlineError("cancelled", { left: "uncaptured" });
    const canceled = await patiently(context, async ({ signal }) => {
      const before = signal.aborted;
      user.abort();
      return { before, reason: signal.reason };
    });
    expect(canceled).toEqual({ before: false, reason: error });
    const late = async () => patiently(context, async ({ signal }) => signal.throwIfAborted());
    await expect(late()).rejects.toEqual(error);
    expect(progress).toEqual(["done", "done"]);
  });

  it("stops listening when it has ended", async () => {
    const user = new AbortController();
    const { context } = place();
    const signal = await patiently(context, async (patience) => patience.signal, user.signal);
    user.abort();
    expect(signal.aborted).toBe(false);
  });
});
