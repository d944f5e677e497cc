import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const GUIDE = `${ROOT}docs/guide/executions.md`;

function examplesIn(page: string): ReadonlyMap<string, string> {
  const blocks = [...readFileSync(page, "utf8").matchAll(/^```ts\n(.*?)^```$/gmsu)].map(
    ([, code = ""]) => code,
  );
  return new Map(blocks.map((code, index) => [`${ROOT}docs/guide/example-${index}.ts`, code]));
}

/** The compiler's complaints about in-memory files, under this project's settings. */
function complaints(files: ReadonlyMap<string, string>): string[] {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.getSourceFile = (path, version, ...rest) => {
    const code = files.get(path);
    return code === undefined
      ? getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, code, version);
  };
  const program = ts.createProgram([...files.keys()], { ...options, noEmit: true }, host);
  return [...files.keys()].flatMap((path) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      .map(({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`),
  );
}

it("the examples of the guide to executions compile", () => {
  const examples = examplesIn(GUIDE);
  expect(examples.size).toBe(5);
  expect(complaints(examples)).toEqual([]);
});
