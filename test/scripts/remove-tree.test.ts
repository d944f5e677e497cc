import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { removeTree } from "../../scripts/remove-tree.mjs";
import { tempFolder } from "../../src/testing/temp-folder.ts";

/** Creates nested folders that their owner may not list, enter or write. */
function closeIn(folder: string): void {
  const modes = [0o000, 0o500, 0o300, 0o600];
  const places = modes.map((_, index) => join(folder, ...modes.slice(0, index + 1).map(String)));
  for (const place of places) {
    mkdirSync(place);
    writeFileSync(join(place, "file"), "");
  }
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]), "");
  for (const [index, place] of [...places.entries()].reverse()) chmodSync(place, modes[index] ?? 0);
}

describe("what tests have closed to their owner", () => {
  it("is removed when the run has ended", () => {
    const folder = mkdtempSync(join(tmpdir(), "worldline-test-"));
    closeIn(folder);
    removeTree(folder);
    expect(existsSync(folder)).toBe(false);
  });

  it("is removed when the test has ended", () => {
    const folder = tempFolder();
    closeIn(folder.path);
    folder.remove();
    expect(existsSync(folder.path)).toBe(false);
  });
});
