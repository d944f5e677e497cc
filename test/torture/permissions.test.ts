import { spawn, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { inTempFolder } from "../../src/testing/temp-folder.ts";
import type { FuzzReport } from "../agent/permissions/fuzz/fuzz.ts";
import { CANARY } from "../agent/permissions/fuzz/range.ts";
import { printRow } from "./print-row.ts";

const COMMANDS = 100_000;
const WORKERS = 2;
const root = join(import.meta.dirname, "../..");

/** Everything but one folder is read-only, there is no network, and processes end with their sandbox. */
const BUBBLEWRAP = (folder: string): readonly string[] => [
  ..."bwrap --ro-bind / / --dev /dev --proc /proc --unshare-all --die-with-parent --bind".split(" "),
  folder,
  folder,
];
/** The same sandbox without bubblewrap. Only the kernel's own mounts cannot be made read-only. */
const UNSHARE = (folder: string): readonly string[] => [
  ..."unshare --user --map-root-user --mount --net --pid --fork --kill-child --mount-proc sh -c".split(" "),
  'mount --bind "$1" "$1" || exit 9; while read -r _ at _; do mount -o remount,ro,bind "$at" 2>/dev/null; done < /proc/mounts; mount -o remount,rw,bind "$1" || exit 9; touch "$1/../x" 2>/dev/null && exit 9; shift; exec "$@"',
  "sh",
  folder,
];

/** The first sandbox that works on this machine. */
function sandboxFor(folder: string): readonly string[] | undefined {
  return [BUBBLEWRAP(folder), UNSHARE(folder)].find(([program = "", ...args]) => {
    const { status } = spawnSync(program, [...args, "true"], { stdio: "ignore" });
    return status === 0;
  });
}

async function inSandbox(sandbox: readonly string[], command: readonly string[]): Promise<string> {
  const [program = "", ...args] = [...sandbox, ...command];
  // Our own environment holds a key, which no command may find.
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent", ANTHROPIC_API_KEY: CANARY };
  const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(code).toBe(0);
  return output;
}

it(`${COMMANDS} commands: those that need no permission start nothing, change nothing and see nothing outside`, async ({
  skip,
}) => {
  await inTempFolder(async (folder) => {
    const worker = join(root, ".build", "permissions-worker.mjs");
    await build({
      absWorkingDir: root,
      entryPoints: ["test/torture/permissions-worker.ts"],
      outfile: worker,
      bundle: true,
      format: "esm",
      platform: "node",
      external: ["web-tree-sitter"],
      banner: { js: 'import { createRequire as c } from "node:module"; const require = c(import.meta.url);' },
      logLevel: "warning",
    });
    const started = Date.now();
    const reports = await Promise.all(
      Array.from({ length: WORKERS }, async (_, index): Promise<FuzzReport> => {
        const range = join(folder, String(index));
        mkdirSync(range);
        const sandbox = sandboxFor(range);
        if (sandbox === undefined) return skip("neither bubblewrap nor unshare can make a sandbox here");
        const seed = Math.floor(Math.random() * 2 ** 31);
        const wanted = [process.execPath, worker, range, String(COMMANDS / WORKERS), String(seed)];
        const report: FuzzReport = JSON.parse(await inSandbox(sandbox, wanted));
        printRow({ commands: report.commands, ran: report.ran, holes: report.holes.length, seed });
        return report;
      }),
    );
    printRow({ seconds: Math.round((Date.now() - started) / 1_000) });
    expect(reports.flatMap(({ holes }) => holes)).toEqual([]);
    expect(reports.reduce((sum, { ran }) => sum + ran, 0)).toBeGreaterThan(COMMANDS / 20);
  });
});
