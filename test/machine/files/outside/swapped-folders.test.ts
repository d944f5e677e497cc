import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import type { KeptContents } from "../../../../src/machine/files/outside-files.ts";
import { restorePath } from "../../../../src/machine/files/outside-paths.ts";
import { hashOf } from "../../../../src/machine/writer.ts";
import type { PathOutcome } from "../../../../src/ports/workspace-files.ts";
import type { OutsideFile } from "../../../../src/record/files.ts";
import { inTempFolder } from "../../../../src/testing/temp-folder.ts";

const state = (text: string): OutsideFile => ({
  blob: hashOf(Buffer.from(text)),
  mode: 0o644,
  size: text.length,
});

/**
 * Restores `a/file` from its present content to "then". While its content is being read, `a` is replaced by a
 * link to an identical-looking folder.
 */
async function restoreWhileSwapped(root: string, now: string | undefined): Promise<PathOutcome> {
  const path = `${root}/a/file`;
  for (const folder of ["a", "secret"]) {
    mkdirSync(`${root}/${folder}`);
    if (now !== undefined) writeFileSync(`${root}/${folder}/file`, now, { mode: 0o644 });
  }
  const getBlob = async (): Promise<Uint8Array> => {
    renameSync(dirname(path), `${root}/away`);
    symlinkSync(`${root}/secret`, dirname(path));
    return Buffer.from("then");
  };
  const contents = { session: "abcdefghjk", store: { getBlob, putBlob: getBlob } };
  const before = now === undefined ? {} : { before: state(now) };
  return restorePath(contents as unknown as KeptContents, { path, ...before, after: state("then") });
}

describe("restoring a file outside the workspace while its folder is swapped for a link", () => {
  it.each([
    ["changes", "now"],
    ["creates", undefined],
  ])("%s nothing where the link leads, and says so", async (_does, now) => {
    await inTempFolder(async (root) => {
      expect(await restoreWhileSwapped(root, now)).toEqual({
        path: `${root}/a/file`,
        outcome: "failed",
        detail: "parent-changed",
        why: "one of its parent folders was replaced in the meantime",
        reason: "path-folder-replaced",
      });
      const there = readdirSync(`${root}/secret`).map((name) =>
        readFileSync(`${root}/secret/${name}`, "utf8"),
      );
      expect(there).toEqual(now === undefined ? [] : [now]);
    });
  });
});
