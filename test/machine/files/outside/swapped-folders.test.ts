import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { restorePath } from "../../../../src/machine/files/outside/restore-path.ts";
import { hashOf } from "../../../../src/machine/writing/blobs.ts";
import type { OutsideFile } from "../../../../src/record/outside.ts";
import { inTempFolder } from "../../../../src/testing/temp-folder.ts";

const state = (text: string): OutsideFile => ({
  blob: hashOf(Buffer.from(text)),
  mode: 0o644,
  size: text.length,
});

describe("restoring a file outside the workspace while its folder is swapped for a link", () => {
  it.each([
    ["changes", "now"],
    ["creates", undefined],
  ])("%s nothing where the link leads, and says so", async (_does, now) => {
    await inTempFolder(async (root) => {
      const path = `${root}/a/file`;
      for (const folder of ["a", "secret"]) {
        mkdirSync(`${root}/${folder}`);
        if (now !== undefined) writeFileSync(`${root}/${folder}/file`, now, { mode: 0o644 });
      }
      const before = lstatSync(`${root}/secret`).mtimeMs;
      const getBlob = async (): Promise<Uint8Array> => {
        renameSync(dirname(path), `${root}/away`);
        symlinkSync(`${root}/secret`, dirname(path));
        return Buffer.from("then");
      };
      const contents = { session: "abcdefghjk", store: { getBlob, putBlob: getBlob } };
      const outcome = await restorePath(contents as unknown as Parameters<typeof restorePath>[0], {
        path,
        ...(now === undefined ? {} : { before: state(now) }),
        after: state("then"),
      });
      expect(outcome).toEqual({
        path,
        outcome: "failed",
        detail: "parent-changed",
        why: "a folder on the way to it was replaced meanwhile",
      });
      expect(readdirSync(`${root}/secret`)).toEqual(now === undefined ? [] : ["file"]);
      if (now !== undefined) expect(readFileSync(`${root}/secret/file`, "utf8")).toBe(now);
      expect(lstatSync(`${root}/secret`).mtimeMs).toBe(before);
    });
  });
});
