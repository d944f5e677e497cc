import { describe, expect, it } from "vitest";
import { describePreview } from "../../../../src/app/journeys/files-preview.ts";
import type { FilesPreview } from "../../../../src/machine/files/requests.ts";
import type { FileState, PathChange } from "../../../../src/record/files.ts";
import type { ObjectHash } from "../../../../src/record/ids.ts";
import { duringLines, previewDocument, previewLines } from "../../../../src/show/journey-text.ts";
import { en } from "../../../../src/strings/en.ts";

const text = (content: string): FileState => ({
  kind: "file",
  mode: 0o644,
  size: content.length,
  hash: content as ObjectHash,
});
const content = async (hash: ObjectHash) => new TextEncoder().encode(hash);
const folder: FileState = { kind: "folder", mode: 0o755, hash: "f" as ObjectHash };
const then = (path: string, after: FileState): PathChange => ({ path, before: undefined, after });
const now = (path: string, before: FileState): PathChange => ({ path, before, after: undefined });

async function described(steps: readonly PathChange[], kept: FilesPreview["kept"] = []) {
  const calls = [{ call: "1", about: "make" }];
  const paths = [...steps, ...kept].map(({ path }) => path);
  const preview = {
    steps,
    kept,
    conflicts: [],
    during: paths.map((path) => ({ path, calls })),
    deletions: 0,
    gitHead: {},
  } as unknown as FilesPreview;
  return describePreview(preview, { content }, { conflicts: "decided" });
}

const created = Array.from({ length: 400 }, (_, index) => now(`a${index}`, text("n\n")));

describe("what changed while a command ran", () => {
  it("has the diffs of what was changed or deleted first, however much is new", async () => {
    const steps = [
      now("a", folder),
      ...created,
      then("gone", text("g\n")),
      { path: "zz.txt", before: text("one\nmine\n"), after: text("one\n") },
    ];
    const { during, ...rest } = await described(steps);
    expect(during.slice(0, 3).map(({ path }) => path)).toEqual(["gone", "zz.txt", "a0"]);
    expect(during.filter(({ diff }) => diff !== undefined)).toHaveLength(20);
    const lines = duringLines(during, en);
    expect(lines).toContain("    +mine");
    expect(lines.at(-1)).toBe("  and 363 more; --json lists all of them");
    const document = previewDocument({ during, ...rest }, en);
    expect(document.during.find(({ path }) => path === "zz.txt")?.diff).toContain("+mine");
  });

  it("has the diffs of everything that changed, up to a total limit, in JSON", async () => {
    const long = `${"x".repeat(300_000)}\n`;
    const steps = Array.from({ length: 30 }, (_, index): PathChange => {
      const own = index < 4 ? long : "";
      return { path: `f${index}`, before: text(`${own}${index}\n`), after: text(`${own}then\n${own}\n`) };
    });
    const { during } = await described(steps);
    expect(during.filter(({ diff }) => diff === undefined).length).toBeGreaterThan(0);
    expect(during.slice(4).every(({ diff }) => diff !== undefined)).toBe(true);
  });

  it("shortens a very long path in its middle", async () => {
    const path = `${"d/".repeat(2000)}end`;
    const { during } = await described([{ path, before: text("a\n"), after: text("b\n") }]);
    expect(duringLines(during, en)[1]).toMatch(/^ {2}d\/d\/.{150,160}end$/u);
  });

  it("says of what is gone and was never captured that it is not restorable, in JSON too", async () => {
    const document = previewDocument(
      await described([], [{ path: "node_modules", why: "never-captured" }]),
      en,
    );
    expect(document).toMatchObject({
      kept: [],
      notRestorable: [{ path: "node_modules", why: "never-captured" }],
      during: [{ path: "node_modules", fate: "not-restorable" }],
    });
  });

  it("counts files and links, not folders", async () => {
    const steps = [then("big", folder), then("big/f", text("f")), then("gone", text("g"))];
    expect(previewLines(await described(steps), en)).toContain(
      "Files: 2 to create, 0 to change, 0 to delete",
    );
  });
});
