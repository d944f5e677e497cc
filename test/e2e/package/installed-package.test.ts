import { execFile } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fromCache } from "../../../scripts/needs/registry.mjs";
import { removeTree } from "../../../src/testing/temp-folder.ts";
import { openModelServer, scripted } from "../../../src/testing/testing.ts";
import { pack, project } from "../../support/packed.ts";
import { consumerFiles, strict } from "./consumer.ts";
import { describeWithRegistry } from "./describe-with-registry.ts";

const run = promisify(execFile);

describeWithRegistry("the package, installed into an empty project", () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "worldline-package-")));
  const consumer = join(top, "consumer");
  const [workspace, home] = [join(top, "workspace"), join(top, "home")];
  const env = { PATH: process.env["PATH"], HOME: top, WORLDLINE_HOME: home, TMPDIR: top, LANG: "C.UTF-8" };

  async function node(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(process.execPath, args, { cwd: consumer, env });
    return stdout;
  }
  const worldline = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    run(join(consumer, "node_modules", ".bin", "worldline"), args, {
      cwd: workspace,
      env: { ...env, ...more },
    });

  async function faultsOfTypes(config: string): Promise<string> {
    const tsc = join(project, "node_modules", "typescript", "bin", "tsc");
    const failed = (error: { readonly stdout: string }) => error;
    return (await run(process.execPath, [tsc, "-p", join(consumer, config)], { cwd: consumer }).catch(failed))
      .stdout;
  }

  beforeAll(async () => {
    for (const folder of [consumer, workspace]) mkdirSync(folder);
    for (const [name, text] of Object.entries(consumerFiles)) writeFileSync(join(consumer, name), text);
    const { filename } = pack(top);
    // Uses npm's own settings and cache, which npm passes on to `npm test`.
    await run("npm", ["install", join(top, filename), ...fromCache], { cwd: consumer });
  }, 300_000);
  afterAll(() => removeTree(top));

  it("brings few packages with it", () => {
    const { packages } = JSON.parse(
      readFileSync(join(consumer, "node_modules", ".package-lock.json"), "utf8"),
    );
    expect(Object.keys(packages).length).toBeLessThanOrEqual(19);
    const own = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    expect(Object.keys(own.dependencies).sort()).toEqual(["@parcel/watcher", "@vscode/ripgrep", "libsql"]);
  });

  it("has types that strict TypeScript takes, as Node.js resolves them, and without the types of Node.js", async () => {
    expect(await faultsOfTypes("tsconfig.nodenext.json")).toBe("");
  }, 180_000);

  it("has types that strict TypeScript accepts, as bundlers resolve them, and together with the types of Node.js", async () => {
    const compilerOptions = {
      ...strict(),
      module: "esnext",
      moduleResolution: "bundler",
      types: ["node"],
      typeRoots: [join(project, "node_modules", "@types")],
    };
    writeFileSync(
      join(consumer, "tsconfig.bundler.json"),
      JSON.stringify({ compilerOptions, files: ["types.ts"] }),
    );
    expect(await faultsOfTypes("tsconfig.bundler.json")).toBe("");
  }, 180_000);

  it("can be imported, and takes files back", async () => {
    expect(await node("use.mjs", workspace, join(top, "library-home"))).toBe(
      "1 true INPUT_INVALID function\n",
    );
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("before");
  });

  it("can be required, and is the same then", async () => {
    expect(await node("use.cjs")).toBe("function true function\n");
  });

  it("has a command that says its version, makes checkpoints and goes back", async () => {
    const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    expect((await worldline(["--version"])).stdout).toBe(`${version}\n`);
    writeFileSync(join(workspace, "b.txt"), "before");
    await worldline(["checkpoint", "it works"]);
    writeFileSync(join(workspace, "b.txt"), "after");
    expect((await worldline(["rewind", "1", "--yes"])).stdout).toContain("Files: 1 restored");
    expect(readFileSync(join(workspace, "b.txt"), "utf8")).toBe("before");
  });

  it("keeps sessions in SQLite", async () => {
    const store = ["--store", `sqlite:${join(top, "one.db")}`];
    await worldline([...store, "checkpoint", "in a database"]);
    expect((await worldline([...store, "checkpoints"])).stdout).toContain("in a database");
  });

  it("has an agent that reads shell commands, searches and converts pages", async () => {
    const page = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Head</h1><p><b>bold</b></p>");
    }).listen(0, "127.0.0.1");
    await once(page, "listening");
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/`;
    const server = await openModelServer(
      scripted(
        { calls: [{ name: "Bash", input: { command: "cat b.txt && pwd" } }] },
        { calls: [{ name: "Grep", input: { pattern: "bef.re" } }] },
        { calls: [{ name: "WebFetch", input: { url } }] },
        { text: "done" },
      ),
    );
    try {
      const { stdout } = await worldline(
        ["-p", "look around", "--output-format", "json", "--allow", "WebFetch"],
        {
          ...server.environment("anthropic"),
          WORLDLINE_MODEL: server.modelFor("anthropic"),
        },
      );
      // Reading needs no permission, and there is no terminal to ask on: a command that was not recognized as
      // reading would have been denied.
      expect(JSON.parse(stdout)).toMatchObject({ outcome: "done", denied: [], error: null });
      const results = server.requests.at(-1)?.messages.flatMap((each) => each.results) ?? [];
      expect(results.map(({ isError }) => isError)).toEqual([false, false, false]);
      expect(results[1]?.text).toContain("b.txt");
      expect(results[2]?.text).toContain("# Head\n\n**bold**");
    } finally {
      await server.close();
      page.close();
    }
  });

  it("leaves nothing in the project but itself", () => {
    expect(readdirSync(consumer).sort()).toEqual(
      [...Object.keys(consumerFiles), "node_modules", "package-lock.json", "tsconfig.bundler.json"].sort(),
    );
    expect(existsSync(join(consumer, "node_modules", "worldline", "src"))).toBe(false);
  });
});
