import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { keepReachable } from "../../../scripts/build/declarations.mjs";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";

/** The files that are left after pruning these declarations. */
async function kept(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return inTempFolder((folder) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    keepReachable(folder, ["index.d.ts"]);
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((each) =>
      /\.[a-z.]+$/u.test(each),
    );
  });
}

describe("the declarations of the library", () => {
  it("are those that a published one needs, however it names them", async () => {
    const left = await kept({
      "index.d.ts": 'export type { A } from "./a/a.ts";\nimport {\n  type B,\n} from "./b.ts";\n',
      "a/a.d.ts": 'export declare const a: import("../c.ts").C;\n',
      "b.d.ts": 'export type B = "from" | "./d.ts";\n',
      "c.d.ts": '/**\n * import x from "vitest";\n */\nexport interface C {}\n',
      "d.d.ts": "export {};\n",
      "code.js": "",
    });
    expect([...left].sort()).toEqual(["a/a.d.ts", "b.d.ts", "c.d.ts", "code.js", "index.d.ts"]);
  });

  it.each(["pg", "node:http"])("need no types of %s", async (name) => {
    const files = {
      "index.d.ts": 'export * from "./a.ts";\n',
      "a.d.ts": `import type { X } from "${name}";\n`,
    };
    await expect(kept(files)).rejects.toThrow(`a.d.ts <- index.d.ts needs the types of ${name}`);
  });
});
