import { describe, expect, it } from "vitest";
import { folderCycles } from "../../scripts/folder-cycles.mjs";

describe("cycles between folders", () => {
  it("are found where two folders of one parent import each other", () => {
    const imports = [
      ["src/a/x.ts", "src/b/y.ts"],
      ["src/b/z.ts", "src/a/deep/w.ts"],
      ["src/b/z.ts", "src/c/w.ts"],
    ] as const;
    expect(folderCycles(imports)).toEqual([
      {
        parent: "src",
        folders: ["a", "b"],
        examples: ["src/a/x.ts -> src/b/y.ts", "src/b/z.ts -> src/a/deep/w.ts"],
      },
    ]);
  });

  it("are found through a third folder", () => {
    const imports = [
      ["src/m/a/x.ts", "src/m/b/x.ts"],
      ["src/m/b/x.ts", "src/m/c/x.ts"],
      ["src/m/c/x.ts", "src/m/a/x.ts"],
    ] as const;
    expect(folderCycles(imports).map(({ parent, folders }) => [parent, folders])).toEqual([
      ["src/m", ["a", "b", "c"]],
    ]);
  });

  it("are found through a file directly in src, and through demo", () => {
    const imports = [
      ["src/a/x.ts", "src/door.ts"],
      ["src/door.ts", "demo/b/x.ts"],
      ["demo/b/x.ts", "src/a/y.ts"],
    ] as const;
    expect(folderCycles(imports).map(({ parent, folders }) => [parent, folders])).toEqual([
      ["src", ["a", "demo", "door.ts"]],
    ]);
  });

  it("are not caused by files of the parent, nor by arrows that go one way", () => {
    const imports = [
      ["src/m/app.ts", "src/m/a/x.ts"],
      ["src/m/a/x.ts", "src/m/app.ts"],
      ["src/m/a/x.ts", "src/m/b/x.ts"],
      ["src/m/a/y.ts", "src/m/a/x.ts"],
    ] as const;
    expect(folderCycles(imports)).toEqual([]);
  });
});
