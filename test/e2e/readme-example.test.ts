import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildSync } from "esbuild";
import ts from "typescript";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openModelServer, scripted } from "../../src/testing/testing.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "worldline-readme-"));
const sources = ["README.md", "README.zh-CN.md", "docs/guide/library.md"].flatMap((page) =>
  [...readFileSync(join(root, page), "utf8").matchAll(/```ts\n([\s\S]*?)```/gu)].map(
    ([, source = ""]) => source,
  ),
);
/** The expected output of each example. */
const printed = [
  ["Done.done 2", ""],
  ["Done.done 2", ""],
  ["Done.done 2", ""],
  [
    "carried-out 2 messages",
    expect.stringMatching(
      /^\[ \{ type: 'text', text: 'Why does the pool run dry\?' \} \] 2 checkpoints \d+ tokens$/u,
    ),
    "session checkpoint prompt step backtrack redo",
    "1 removed 0 kept",
    "",
  ],
  ["3 is not a price", "true tea,3", ""],
];

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the examples in the README and the guide to the library", () => {
  it("are those that are tried here", () => expect(sources).toHaveLength(printed.length));

  it("compile with the settings of this project", () => {
    const files = sources.map((_, at) => join(folder, `example-${at}.mts`));
    for (const [at, file] of files.entries()) writeFileSync(file, sources[at] ?? "");
    const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const program = ts.createProgram(files, {
      ...options,
      // Checks against the built declarations, as they are published.
      paths: { worldline: [join(root, "dist/index.d.ts")] },
      noEmit: true,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    });
    const faults = ts
      .getPreEmitDiagnostics(program)
      .filter(({ file }) => files.includes(file?.fileName ?? ""));
    expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  });
});

describe.each(sources.map((source, at) => ({ at, source })))("example $at", ({ at, source }) => {
  it("does what its comments say", async () => {
    const entry = join(folder, `example-${at}.ts`);
    const bundle = join(folder, `example-${at}.mjs`);
    writeFileSync(entry, source);
    buildSync({
      entryPoints: [entry],
      outfile: bundle,
      bundle: true,
      platform: "node",
      format: "esm",
      external: [join(root, "dist/*")],
      // Runs against the built code; `npm test` builds it first.
      alias: { worldline: join(root, "dist/index.js") },
    });
    const write = { name: "Write", input: { file_path: "notes.md", content: "# Notes" } };
    const server = await openModelServer(scripted({ calls: [write] }, { text: "Done." }));
    onTestFinished(async () => server.close());
    const env = {
      ...process.env,
      ...server.environment("anthropic"),
      HOME: folder,
      WORLDLINE_HOME: join(folder, `home-${at}`),
    };
    // The files of a home folder are never captured, so the example runs in a project folder.
    const cwd = join(folder, `project-${at}`);
    mkdirSync(cwd);
    const said = await promisify(execFile)(process.execPath, [bundle], { cwd, env });
    expect(said.stdout.split("\n")).toEqual(printed[at]);
  });
});
