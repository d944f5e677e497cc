import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "worldline-readme-"));
const source = /```ts\n([\s\S]*?)```/u.exec(readFileSync(join(root, "README.md"), "utf8"))?.[1] ?? "";

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the example in the README", () => {
  it("compiles with the settings of this project", () => {
    const file = join(folder, "example.mts");
    writeFileSync(file, source);
    const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const program = ts.createProgram([file], {
      ...options,
      noEmit: true,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    });
    const faults = ts
      .getPreEmitDiagnostics(program)
      .filter(({ file: at }) => at?.fileName.endsWith("example.mts"));
    expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  });

  it("does what its comments say", () => {
    const entry = join(folder, "example.ts");
    const bundle = join(folder, "example.mjs");
    writeFileSync(entry, source);
    buildSync({
      entryPoints: [entry],
      outfile: bundle,
      bundle: true,
      platform: "node",
      format: "esm",
      alias: { worldline: join(root, "src/index.ts") },
    });
    const env = { ...process.env, HOME: folder, WORLDLINE_HOME: join(folder, "home") };
    // The files of a home folder are not captured.
    const cwd = join(folder, "project");
    mkdirSync(cwd);
    const printed = execFileSync(process.execPath, [bundle], { cwd, env, encoding: "utf8" });
    expect(printed.split("\n")).toEqual([
      "carried-out 2 messages",
      expect.stringMatching(
        /^\[ \{ type: 'text', text: 'Why does the pool run dry\?' \} \] 2 checkpoints \d+ tokens$/u,
      ),
      "session checkpoint prompt step backtrack redo",
      "1 restored 0 kept",
      "",
    ]);
  });
});
