import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Interrupt } from "../../../../src/app/context.ts";
import { changedCounts } from "../../../../src/app/files/changes.ts";
import type { FileState } from "../../../../src/record/files.ts";
import type { ObjectHash } from "../../../../src/record/ids.ts";
import { changedFiles } from "../../../../src/strings/en/finder.ts";
import { playground } from "../../support/command-line.ts";

const file: FileState = { kind: "file", mode: 0o644, size: 1, hash: "h" as ObjectHash };
const folder: FileState = { kind: "folder", mode: 0o755, hash: "h" as ObjectHash };

describe("what changed", () => {
  it("is counted by file, folders apart", () => {
    const changes = [
      { path: "a", before: undefined, after: folder },
      { path: "a/b", before: undefined, after: file },
      { path: "c", before: file, after: undefined },
      { path: "d", before: file, after: { ...file, mode: 0o600 } },
      { path: "e", before: folder, after: file },
    ];
    expect(changedCounts(changes)).toEqual({ created: 1, deleted: 1, changed: 2, folders: 1 });
  });

  it.each([
    [{ changed: 47, deleted: 3, created: 2, folders: 1 }, "47 files changed, 3 deleted, 2 created"],
    [{ changed: 0, deleted: 1, created: 2, folders: 0 }, "1 file deleted, 2 created"],
    [{ changed: 0, deleted: 0, created: 1, folders: 9 }, "1 file created"],
    [{ changed: 0, deleted: 0, created: 0, folders: 1 }, "1 folder changed"],
    [{ changed: 0, deleted: 0, created: 0, folders: 0 }, "no files changed"],
  ])("is summed up briefly: %j", (counts, text) => {
    expect(changedFiles(counts)).toBe(text);
  });
});

/** Interrupts the command as soon as it starts to listen. */
const endsAtOnce = {
  onInterrupt: (listener: (signal: Interrupt) => void) => {
    setImmediate(() => listener("SIGINT"));
    return () => undefined;
  },
};

describe("worldline watch", () => {
  it("refuses while files are not captured, and begins no session", async () => {
    const { worldline } = playground();
    const said = await worldline("watch --setting enableFileCheckpointing=false");
    expect(said).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Checkpoint feature not enabled"),
    });
    expect((await worldline("checkpoints")).stdout).toBe("No checkpoints found.\n");
  });

  it("refuses a session that is not there", async () => {
    expect((await playground().worldline("watch --session nobody")).code).toBe(42);
  });

  it("ends with 0 when it is asked to, also before it has looked at everything", async () => {
    const { worldline, workspace } = playground();
    mkdirSync(join(workspace, "src"));
    writeFileSync(join(workspace, "src/a"), "a");
    expect((await worldline("watch", endsAtOnce)).code).toBe(0);
  });
});
