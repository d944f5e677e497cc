import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { pathOfText } from "../../../src/record/files.ts";
import { packLearned } from "../../../src/snapshots/capturing/messages.ts";
import { Thread } from "../../../src/snapshots/capturing/thread.ts";
import { ThreadedScanner } from "../../../src/snapshots/capturing/workspace-scanner.ts";
import { DEFAULT_LIMITS } from "../../../src/snapshots/finding/coverage.ts";
import { realWorkspaceDisk } from "../../../src/snapshots/workspace/real-workspace-disk.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { MemoryObjects } from "../memory-objects.ts";

/** A worker that fails these kinds of orders. */
function cannot(folder: string, ...what: readonly string[]): URL {
  const path = join(folder, "worker.mjs");
  const code = `import { parentPort } from "node:worker_threads";
parentPort.on("message", ({ number, content }) => {
  const failed = { did: "failed", problem: { reason: "object-missing", params: { kind: "content", hash: content.do } } };
  const content_ = ${JSON.stringify(what)}.includes(content.do) ? failed : { did: "done" };
  parentPort.postMessage({ number, content: content_ });
});
`;
  writeFileSync(path, code);
  return pathToFileURL(path);
}

function startIn(folder: string) {
  return {
    root: pathOfText(join(folder, "workspace")),
    home: join(folder, "home"),
    segments: join(folder, "home", "segments"),
    limits: DEFAULT_LIMITS,
    outsideRules: "",
    manifest: undefined,
  };
}

describe("a thread that gets an order", () => {
  const learned = packLearned([{ path: "a", signature: undefined }]);

  it("reports to the next request that it failed, once", async () => {
    await inTempFolder(async (folder) => {
      const start = { ...startIn(folder), share: { part: 0, of: 1 } };
      const thread = new Thread(cannot(folder, "learn"), start);
      thread.send({ do: "learn", learned });
      const asked = thread.ask({ do: "save", header: "" });
      await expect(asked).rejects.toMatchObject({
        code: "SNAPSHOT_MISSING",
        reason: "object-missing",
        message: "The content learn is not in the snapshot store.",
      });
      expect(await thread.ask({ do: "sync" })).toEqual({ did: "done" });
      await thread.close();
    });
  });

  it("can be closed although it failed", async () => {
    await inTempFolder(async (folder) => {
      const start = { ...startIn(folder), share: { part: 0, of: 1 } };
      const thread = new Thread(cannot(folder, "learn"), start);
      thread.send({ do: "learn", learned });
      await thread.close();
      thread.send({ do: "learn", learned });
      await expect(thread.ask({ do: "sync" })).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
    });
  });
});

describe("a first look with threads", () => {
  it("that fails here waits for the threads, and handles their failures too", async () => {
    await inTempFolder(async (folder) => {
      const start = startIn(folder);
      for (let number = 0; number < 200; number += 1)
        mkdirSync(join(folder, "workspace", `${number}`, "in"), { recursive: true });
      const disk = Object.create(realWorkspaceDisk) as typeof realWorkspaceDisk;
      disk.stat = (path) => {
        const stat = realWorkspaceDisk.stat(path);
        if (stat === undefined || !path.endsWith("/in")) return stat;
        // An error from the disk itself would only make the path unreadable.
        return Object.defineProperty({ ...stat }, "kind", {
          get: () => {
            throw new Error("cannot walk here");
          },
        });
      };
      const finder = new ThreadedScanner({
        ...start,
        disk,
        objects: new MemoryObjects(),
        entry: cannot(folder, "walk-new"),
      });
      await expect(finder.scan("all", new Set())).rejects.toThrow(/cannot walk here|content walk-new/u);
      // A rejection that nothing handles would fail the whole test run.
      await finder.close();
    });
  });
});
