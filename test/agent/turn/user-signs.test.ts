import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { userSigns } from "../../../src/agent/turn/files/user-signs.ts";
import type { PathChange } from "../../../src/record/files.ts";
import type { ObjectHash } from "../../../src/record/ids.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";
import { signLines, signsIn } from "../../../src/travel/logged-files.ts";

const file = (hash: string) => ({ kind: "file", mode: 0o644, size: 1, hash: hash as ObjectHash }) as const;
const changed = (path: string): PathChange => ({ path, before: file("a"), after: file("b") });
const gone = (path: string): PathChange => ({ path, before: file("a"), after: undefined });

function folderWith(...names: readonly string[]): string {
  const { path, remove } = tempFolder();
  onTestFinished(remove);
  mkdirSync(join(path, "src"));
  for (const name of names) writeFileSync(join(path, name), "x");
  return path;
}

function signsOf(
  workspace: string,
  changes: readonly PathChange[],
  endedAt?: number,
): Record<string, string> {
  const signs = userSigns({ workspace, session: "none", endedAt }, changes);
  return Object.fromEntries(signs.map(({ path, sign }) => [path, sign.sign]));
}

describe("what points to the user", () => {
  it.each([
    ["src/.a.ts.swp", "src/a.ts"],
    ["src/.a.ts.swo", "src/a.ts"],
    [".env.swp", ".env"],
    ["src/#a.ts#", "src/a.ts"],
    ["src/.~lock.a.odt#", "src/a.odt"],
    ["src/~$a.docx", "src/a.docx"],
    ["src/.a.ts.kate-swp", "src/a.ts"],
  ])("is %s next to %s, and that file itself", (beside, path) => {
    const workspace = folderWith(beside, path, "other.ts");
    expect(signsOf(workspace, [changed(path), changed(beside), changed("other.ts")])).toEqual({
      [path]: "swap-file",
      [beside]: "editor-file",
    });
  });

  it("is the lock of emacs, which is a link to nowhere", () => {
    const workspace = folderWith("a.ts");
    symlinkSync("ann@host.1:2", join(workspace, ".#a.ts"));
    expect(signsOf(workspace, [changed("a.ts")])).toEqual({ "a.ts": "swap-file" });
  });

  it("is a swap file that went in the same interval", () => {
    const workspace = folderWith("a.ts");
    expect(signsOf(workspace, [changed("a.ts"), gone(".a.ts.swp")])).toEqual({
      ".a.ts.swp": "editor-file",
      "a.ts": "swap-file",
    });
  });

  it("is a write after the end of the command, and never one before it", () => {
    const workspace = folderWith("a.ts", "b.ts");
    const changes = [changed("a.ts"), gone("c.ts")];
    expect(signsOf(workspace, changes, Date.now() - 60_000)).toEqual({ "a.ts": "after-end" });
    expect(signsOf(workspace, changes, Date.now() + 60_000)).toEqual({});
    expect(signsOf(workspace, changes)).toEqual({});
  });

  it("is nothing for a folder, or for a file that is gone", () => {
    const workspace = folderWith();
    rmSync(join(workspace, "src"), { recursive: true });
    const folder: PathChange = {
      path: "src",
      before: { kind: "folder", mode: 0, hash: "a" as ObjectHash },
      after: undefined,
    };
    expect(signsOf(workspace, [folder, gone("src/a.ts")], 0)).toEqual({});
  });

  it("is read back as it was written, also for names that are not UTF-8", () => {
    const signs = [
      { path: "a\nb", sign: { sign: "after-end" } },
      { path: "\xff", sign: { sign: "swap-file", file: ".\\xff.swp" } },
      { path: "c", sign: { sign: "open-elsewhere", program: "vim" } },
    ] as const;
    expect([...signsIn(signLines(signs))]).toEqual(signs.map(({ path, sign }) => [path, sign]));
    expect([...signsIn('{"path":"a","sign":"newer"}\nnot json\n')]).toEqual([]);
  });
});
