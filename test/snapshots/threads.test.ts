import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { openWorkspaceFiles } from "../../src/open-files.ts";
import type { WorkspaceFiles } from "../../src/ports/workspace-files.ts";
import { inTempFolder } from "../../src/testing/testing.ts";
import { differences, told, walk } from "../laws/files/independent-walk.ts";

// Worker threads run the built library; `npm test` builds it first.
const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const FOLDERS = 100;
/** Enough files in total that the manifest is split among threads too. */
const MANY_EACH = 70;
const SOME_EACH = 15;

type Open = typeof openWorkspaceFiles;

async function library(dist: string = DIST): Promise<Open> {
  const built: unknown = await import(pathToFileURL(join(dist, "index.js")).href);
  return (built as { readonly openWorkspaceFiles: Open }).openWorkspaceFiles;
}

function fill(workspace: string, filesEach: number): void {
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    const path = join(workspace, `folder-${folder % 10}`, `deep-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < filesEach; file += 1)
      writeFileSync(join(path, `${file}.txt`), `${folder} ${file}`);
  }
}

interface Both {
  readonly folder: string;
  readonly workspace: string;
  readonly threads: WorkspaceFiles;
  readonly alone: WorkspaceFiles;
}

/** The same workspace with two stores, one opened with threads and one without. */
async function withBoth(filesEach: number, work: (both: Both) => Promise<void>): Promise<void> {
  await inTempFolder(async (folder) => {
    const workspace = join(folder, "workspace");
    fill(workspace, filesEach);
    const open = await library();
    const threads = await open({ workspace, home: join(folder, "one"), threads: "auto" });
    const alone = await open({ workspace, home: join(folder, "other"), threads: "none" });
    await work({ folder, workspace, threads, alone });
    await threads.close();
    await alone.close();
  });
}

async function expectSame({ workspace, threads, alone }: Omit<Both, "folder">): Promise<void> {
  const one = await threads.capture({ look: "everything" });
  expect(one).toEqual(await alone.capture({ look: "everything" }));
  expect(differences(told(await threads.list(one.snapshot)), walk(workspace))).toEqual([]);
}

/**
 * A copy of the built library whose threads exit at their first order to do `what`, as long as the flag file
 * exists.
 */
function crashingLibrary(
  folder: string,
  what: "store" | "scan",
): { readonly dist: string; readonly flag: string } {
  const dist = join(folder, "dist");
  const flag = join(folder, "crash");
  cpSync(DIST, dist, { recursive: true, filter: (source) => !source.startsWith(join(DIST, "cli")) });
  symlinkSync(join(DIST, "..", "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const worker = join(dist, "library", "worker.js");
  const crash = `import { parentPort as port } from "node:worker_threads";
import { existsSync, rmSync } from "node:fs";
port.on("message", ({ content }) => {
  if (content.do !== ${JSON.stringify(what)} || !existsSync(${JSON.stringify(flag)})) return;
  rmSync(${JSON.stringify(flag)}, { force: true });
  process.exit(1);
});
`;
  writeFileSync(worker, crash + readFileSync(worker, "utf8"));
  return { dist, flag };
}

describe("capturing with threads", () => {
  it("gives the same snapshots as without, at first, after edits, and after a restart", async () => {
    await withBoth(MANY_EACH, async (both) => {
      const { folder, workspace } = both;
      await expectSame(both);
      writeFileSync(join(workspace, "folder-3", "deep-3", "7.txt"), "edited");
      rmSync(join(workspace, "folder-4"), { recursive: true });
      renameSync(join(workspace, "folder-5"), join(workspace, "moved"));
      await expectSame(both);
      writeFileSync(join(workspace, ".gitignore"), "deep-2*\n");
      mkdirSync(join(workspace, "folder-6", "deep-6", "empty"));
      await expectSame(both);
      await both.threads.close();
      await both.alone.close();
      rmSync(join(workspace, "moved", "deep-5"), { recursive: true });
      writeFileSync(join(workspace, "moved", "deep-5"), "a file now");
      writeFileSync(join(workspace, "folder-7", ".gitignore"), "!deep-27\n");
      const open = await library();
      const threads = await open({ workspace, home: join(folder, "one"), threads: "auto" });
      const alone = await open({ workspace, home: join(folder, "other"), threads: "none" });
      await expectSame({ workspace, threads, alone });
      writeFileSync(join(workspace, "folder-1", "deep-1", "1.txt"), "edited");
      rmSync(join(workspace, ".gitignore"));
      await expectSame({ workspace, threads, alone });
      await threads.close();
      await alone.close();
    });
  });

  it("that is stopped in the middle of the first capture leaves the next one complete", async () => {
    await withBoth(SOME_EACH, async ({ workspace, threads, alone }) => {
      const controller = new AbortController();
      const stopped = threads.capture({
        look: "everything",
        signal: controller.signal,
        onProgress: ({ phase, files }) => {
          if (phase === "storing" && files > 0) controller.abort();
        },
      });
      await expect(stopped).rejects.toMatchObject({ code: "CANCELLED" });
      rmSync(join(workspace, "folder-2"), { recursive: true });
      writeFileSync(join(workspace, "folder-2"), "a file now");
      await expectSame({ workspace, threads, alone });
    });
  });

  it.each(["store", "scan"] as const)(
    "says so when a thread ends (%s), and the next capture is complete",
    async (what) => {
      await inTempFolder(async (folder) => {
        const workspace = join(folder, "workspace");
        fill(workspace, SOME_EACH);
        const { dist, flag } = crashingLibrary(folder, what);
        const open = await library(dist);
        const files = await open({ workspace, home: join(folder, "home") });
        if (what === "scan") await files.capture({ look: "everything" });
        writeFileSync(join(workspace, "folder-1", "deep-1", "1.txt"), "edited");
        writeFileSync(flag, "");
        const failed = files.capture({ look: "everything" });
        await expect(failed).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
        const { snapshot, state } = await files.capture({ look: "everything" });
        expect(state).toBe("complete");
        expect(differences(told(await files.list(snapshot)), walk(workspace))).toEqual([]);
        await files.close();
      });
    },
  );
});
