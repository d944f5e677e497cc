import type { Metafile } from "esbuild";
import { describe, expect, it } from "vitest";
import { undeclaredIn, unusedIn } from "../../../scripts/build/packages.mjs";

/** The metafile of a bundle that imports these paths at run time. */
function metafile(...paths: readonly string[]): Metafile {
  const imports = [
    ...paths.map((path) => ({ path, kind: "import-statement" as const, external: true })),
    { path: "dist/chunk.js", kind: "import-statement" as const },
  ];
  return { inputs: {}, outputs: { "dist/a.js": { imports, exports: [], inputs: {}, bytes: 1 } } };
}

const declared = { dependencies: { "@scope/one": "1.0.0" }, peerDependencies: { two: "1.0.0" } };

describe("what built code imports when it runs", () => {
  it("is in package.json, but for what Node.js has", () => {
    expect(undeclaredIn(metafile("@scope/one/sub", "two", "node:fs", "fs/promises"), declared)).toEqual([]);
  });

  it("is missed where npm would not install it", () => {
    expect(undeclaredIn(metafile("@scope/other", "two/sub"), declared)).toEqual([
      expect.stringMatching(/^@scope\/other is imported/u),
    ]);
  });
});

describe("a dependency", () => {
  it("is imported by one of the bundles", () => {
    expect(unusedIn([metafile("two"), metafile("@scope/one")], declared)).toEqual([]);
  });

  it("is missed where nothing imports it; a peer need not be", () => {
    expect(unusedIn([metafile("node:fs")], declared)).toEqual([expect.stringMatching(/^@scope\/one is in/u)]);
  });
});
