import { createHash } from "node:crypto";
import { cpSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findKimiSessions, kimiHome } from "../../../../src/machine/exchange/kimi/kimi-files.ts";
import { inTempFolder } from "../../../../src/testing/temp-folder.ts";

const FIXTURES = join(import.meta.dirname, "../../../fixtures/kimi");

describe("finding the sessions of kimi-cli", () => {
  it("lists folders, the single files of older versions, and what was imported there, newest first", async () => {
    await inTempFolder(async (home) => {
      const hash = createHash("md5").update("/work/project").digest("hex");
      const shelf = join(home, "sessions", hash);
      const other = join(home, "sessions", "abc", "empty");
      mkdirSync(shelf, { recursive: true });
      mkdirSync(other, { recursive: true });
      cpSync(join(FIXTURES, "plain"), join(shelf, "one"), { recursive: true });
      cpSync(join(FIXTURES, "reverted", "context.jsonl"), join(shelf, "two.jsonl"));
      cpSync(join(FIXTURES, "reverted", "context_1.jsonl"), join(shelf, "two_1.jsonl"));
      cpSync(join(FIXTURES, "compacted"), join(home, "imported_sessions", "three"), { recursive: true });
      utimesSync(join(shelf, "one", "context.jsonl"), 3_000, 3_000);
      utimesSync(join(shelf, "two.jsonl"), 2_000, 2_000);
      utimesSync(join(shelf, "two_1.jsonl"), 1_000, 1_000);
      for (const name of ["context.jsonl", "context_1.jsonl"]) {
        utimesSync(join(home, "imported_sessions", "three", name), 500, 500);
      }
      writeFileSync(join(home, "kimi.json"), JSON.stringify({ work_dirs: [{ path: "/work/project" }] }));
      expect(await findKimiSessions(home)).toEqual([
        {
          path: join(shelf, "one"),
          name: "one",
          title: "The pool that leaks",
          workspace: "/work/project",
          files: 1,
          modified: 3_000_000,
        },
        {
          path: join(shelf, "two.jsonl"),
          name: "two",
          workspace: "/work/project",
          files: 2,
          modified: 2_000_000,
        },
        { path: join(home, "imported_sessions", "three"), name: "three", files: 2, modified: 500_000 },
      ]);
    });
  });

  it("finds none if there is no kimi-cli", async () => {
    await inTempFolder(async (home) => expect(await findKimiSessions(join(home, "absent"))).toEqual([]));
  });

  it("looks where kimi-cli was configured to keep its data", () => {
    expect(kimiHome({ KIMI_SHARE_DIR: "/elsewhere" })).toBe("/elsewhere");
  });
});
