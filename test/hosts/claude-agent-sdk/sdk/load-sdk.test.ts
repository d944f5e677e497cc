import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  findClaudeSdk,
  loadClaudeSdk,
  type SdkDoubt,
} from "../../../../src/hosts/claude-agent-sdk/sdk/load-sdk.ts";
import { tempFolder } from "../../../../src/testing/temp-folder.ts";

const NAME = "@anthropic-ai/claude-agent-sdk";
const WHOLE = ["query", "getSessionMessages", "forkSession", "createSdkMcpServer", "tool"]
  .map((name) => `export const ${name} = () => "${name}";`)
  .join("\n");

function somewhere(): string {
  const folder = tempFolder();
  onTestFinished(() => folder.remove());
  return folder.path;
}

/** A package with just enough of the SDK to be loaded as one. */
function install(root: string, given: { readonly json?: object; readonly code?: string } = {}): string {
  const folder = join(root, "node_modules", NAME);
  write(
    join(folder, "package.json"),
    JSON.stringify({ name: NAME, version: "0.3.325", type: "module", main: "sdk.mjs", ...given.json }),
  );
  write(join(folder, "sdk.mjs"), given.code ?? WHOLE);
  return folder;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const binary = `${NAME}-${process.platform}-${process.arch}`;

describe("loading the Claude Agent SDK", () => {
  it.each([
    ["the project that it is installed in", ""],
    ["that project's node_modules", "node_modules"],
    ["the package itself", `node_modules/${NAME}`],
  ])("finds it where a folder is named: %s", async (_what, below) => {
    const root = somewhere();
    install(root);
    const sdk = (await loadClaudeSdk({ folder: join(root, below) })) as unknown as { tool(): string };
    expect(sdk.tool()).toBe("tool");
  });

  it("finds it next to Worldline, as Node would", async () => {
    const root = somewhere();
    const folder = install(root);
    const beside = join(root, "node_modules", "worldline");
    expect(findClaudeSdk({ beside })).toEqual({
      folder,
      version: "0.3.325",
      entry: join(folder, "sdk.mjs"),
      binaries: [],
    });
  });

  it("looks nowhere else where a folder is named", async () => {
    const root = somewhere();
    install(root);
    const folder = join(root, "empty");
    await expect(loadClaudeSdk({ folder, beside: root })).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: `The "claude" host needs the Claude Agent SDK, which is not installed in ${folder}, the folder set in claude.sdk.`,
      hint: expect.stringContaining(`npm install --prefix ${folder} ${NAME}@0.3.325`),
    });
  });

  it.each([
    [
      "a clone",
      "clone",
      undefined,
      () =>
        `\`npm install --prefix ~/claude-sdk ${NAME}@0.3.325\`, then set its folder: \`worldline config set claude.sdk`,
    ],
    ["-g", "lib/node_modules/worldline", undefined, () => `\`npm install -g ${NAME}@0.3.325\``],
    [
      "a project",
      "project/node_modules/worldline",
      "project/package.json",
      (root: string) => `\`npm install ${NAME}@0.3.325\` (in ${root}/project)`,
    ],
  ])("says how to install it next to %s if it is absent", async (...[, own, made, command]) => {
    const root = somewhere();
    if (made !== undefined) write(join(root, made), "{}");
    await expect(loadClaudeSdk({ beside: join(root, own) })).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: 'The "claude" host needs the Claude Agent SDK, which is not installed.',
      hint: expect.stringMatching(/^Install it: .*proprietary.*414 MB.*claude\.sdk.*--host native$/u),
    });
    await expect(loadClaudeSdk({ beside: join(root, own) })).rejects.toMatchObject({
      hint: expect.stringContaining(command(root)),
    });
  });

  it.each(["0.3.324", "0.2.999", "nonsense"])("refuses one that is too old: %s", async (version) => {
    const root = somewhere();
    install(root, { json: { version }, code: "throw new Error('it was run');" });
    await expect(loadClaudeSdk({ folder: root })).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: expect.stringMatching(/is too old: Worldline needs 0\.3\.325 or newer\.$/u),
    });
  });

  it.each([
    ["0.3.325", []],
    ["0.3.400", []],
    ["0.4.0", [{ version: "0.4.0", known: "0.3.325", wanted: "@anthropic-ai/claude-agent-sdk@0.3.325" }]],
    ["1.0.0-beta.2", [expect.objectContaining({ version: "1.0.0-beta.2" })]],
  ])("says of %s whether it is known", async (version, told) => {
    const root = somewhere();
    install(root, { json: { version } });
    const doubts: SdkDoubt[] = [];
    await loadClaudeSdk({ folder: root, onDoubt: (doubt) => doubts.push(doubt) });
    expect(doubts).toEqual(told);
  });

  it("refuses one without the program for this machine, before anything of it runs", async () => {
    const root = somewhere();
    install(root, {
      json: { optionalDependencies: { [binary]: "0.3.325" } },
      code: "throw new Error('run');",
    });
    await expect(loadClaudeSdk({ folder: root })).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: expect.stringContaining(
        `has no program for this machine (${process.platform} ${process.arch})`,
      ),
      hint: expect.stringContaining("without --omit=optional"),
    });
    write(join(root, "node_modules", `${binary}-musl`, "package.json"), "{}");
    install(root, { json: { optionalDependencies: { [binary]: "*", [`${binary}-musl`]: "*" } } });
    await expect(loadClaudeSdk({ folder: root })).resolves.toBeDefined();
  });

  it.each([
    ["lacks a package of its own", 'import "zod-that-is-not-there";', "zod-that-is-not-there"],
    ["is cut in the middle", "export const query = (", ""],
    ["is something else", "export const query = () => 1;", "it is missing getSessionMessages"],
  ])("says that it is broken where it %s", async (_what, code, why) => {
    const root = somewhere();
    install(root, { code });
    await expect(loadClaudeSdk({ folder: root })).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: expect.stringMatching(new RegExp(`is installed but cannot be loaded: .*${why}`, "u")),
      hint: expect.stringContaining("Reinstall it"),
    });
  });

  it("does not take another package for it", () => {
    const root = somewhere();
    install(root, { json: { name: "somebody-elses" } });
    expect(findClaudeSdk({ folder: root })).toBeUndefined();
  });
});
