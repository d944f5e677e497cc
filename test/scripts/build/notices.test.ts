import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { noticesFor } from "../../../scripts/build/notices.mjs";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";

interface Package {
  readonly license?: unknown;
  readonly files?: Readonly<Record<string, string>>;
}

/** The notices of a bundle that includes two files of the first package and one of each other. */
async function notices(
  packages: Readonly<Record<string, Package>>,
  given: Readonly<Record<string, string>> = {},
) {
  return inTempFolder((root) => {
    const texts = join(root, "texts");
    mkdirSync(texts);
    for (const [name, text] of Object.entries(given)) writeFileSync(join(texts, name), text);
    for (const [folder, { license = "MIT", files = {} }] of Object.entries(packages)) {
      mkdirSync(join(root, folder), { recursive: true });
      const name = folder.slice(folder.lastIndexOf("node_modules/") + 13);
      writeFileSync(join(root, folder, "package.json"), JSON.stringify({ name, version: "1.2.3", license }));
      for (const [file, text] of Object.entries(files)) writeFileSync(join(root, folder, file), text);
    }
    const [first = ""] = Object.keys(packages);
    const inputs = [...Object.keys(packages).map((each) => `${each}/lib/index.js`), `${first}/other.js`];
    return noticesFor([...inputs, "src/index.ts", "builtin:node:fs"], { root, texts });
  });
}

describe("the notices of what is bundled", () => {
  it("name each package once, with its license and its notice", async () => {
    const text = await notices({
      "node_modules/one": { files: { LICENSE: "License of one", NOTICE: "Notice of one" } },
      "node_modules/@scope/two": { license: "ISC", files: { "license.md": "License of two" } },
      "node_modules/one/node_modules/three": { files: { "LICENSE-MIT": "License of three" } },
    });
    expect(text.split(/\n-+\n\n/u).slice(1)).toEqual([
      "@scope/two 1.2.3 (ISC)\n\nLicense of two\n",
      "one 1.2.3 (MIT)\n\nLicense of one\n\nNotice of one\n",
      "three 1.2.3 (MIT)\n\nLicense of three\n",
    ]);
  });

  it("take the text that we keep of a package that came without one", async () => {
    expect(await notices({ "node_modules/@scope/two": {} }, { "scope-two.txt": "Kept" })).toContain(
      "@scope/two 1.2.3 (MIT)\n\nKept\n",
    );
  });

  it("cannot be written for a package without a license text", async () => {
    await expect(notices({ "node_modules/one": {} })).rejects.toThrow("one 1.2.3: it has no license text");
  });

  it.each(["GPL-3.0", "UNLICENSED", "SEE LICENSE IN x", { type: "MIT" }])(
    "cannot be written for a license that is not known: %j",
    async (license) => {
      const packages = { "node_modules/one": { license, files: { LICENSE: "x" } } };
      await expect(notices(packages)).rejects.toThrow("one 1.2.3: its license is not one of");
    },
  );
});
