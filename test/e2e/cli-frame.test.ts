import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { version } from "../../src/version.ts";

// `npm test` builds it first.
const binary = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "worldline-e2e-"));
  mkdirSync(join(root, "workspace", ".git"), { recursive: true });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

interface How {
  readonly environment?: Record<string, string>;
  /** Shell code to append to the command, such as `| head -1`. */
  readonly after?: string;
}

function worldline(args: readonly string[], { environment = {}, after }: How = {}) {
  const shell = ["-c", `set -o pipefail; "$0" "$@" ${after}`, process.execPath, binary, ...args];
  const child = spawn(
    after === undefined ? process.execPath : "bash",
    after === undefined ? [binary, ...args] : shell,
    {
      cwd: join(root, "workspace"),
      env: { PATH: process.env["PATH"], HOME: root, WORLDLINE_HOME: join(root, "home"), ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    said.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said.stderr += chunk;
  });
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...said }));
  });
}

describe("the built command line", () => {
  it("says its version", async () => {
    expect(await worldline(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    expect(await worldline(["-V"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    expect(JSON.parse((await worldline(["--version", "--json"])).stdout)).toEqual({ version });
  });

  it.runIf(process.platform === "linux")("fails when its version cannot be written", async () => {
    expect((await worldline(["--version"], { after: "> /dev/full" })).code).toBe(1);
    expect((await worldline(["--version"], { after: "| true" })).code).toBe(0);
  });

  it("holds nothing else in the file that is started", () => {
    // Any module outside this file is loaded only after the version has been handled.
    const entry = readFileSync(binary, "utf8");
    expect(entry).not.toContain("class Command");
    expect(entry.length).toBeLessThan(4_000);
  });

  it("shows help with every command and examples", async () => {
    const { code, stdout, stderr } = await worldline(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("config");
    expect(stdout).toContain("Examples:");
    expect(await worldline([])).toMatchObject({ code: 0, stdout });
    expect((await worldline(["help", "config"])).stdout).toContain("worldline config trust");
  });

  it("refuses an unknown command with exit code 2 and what was meant", async () => {
    expect(await worldline(["confgi"])).toEqual({
      code: 2,
      stdout: "",
      stderr:
        'error: There is no command "worldline confgi".\n' +
        "hint: Did you mean `worldline config`? To send this text to the agent, run: worldline -- confgi\n",
    });
    expect(await worldline(["config", "--explian"])).toMatchObject({
      code: 2,
      stderr: "error: Unknown option '--explian'.\nhint: Did you mean --explain?\n",
    });
  });

  it("sets, gets, explains and trusts settings", async () => {
    const set = await worldline([
      "config",
      "set",
      "enableFileCheckpointing",
      "false",
      "--where",
      "workspace",
    ]);
    expect(set).toMatchObject({ code: 0, stderr: "" });
    const file = join(root, "workspace", ".worldline", "settings.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ enableFileCheckpointing: false });
    const get = ["config", "get", "enableFileCheckpointing"];
    expect(await worldline(get)).toEqual({ code: 0, stdout: "false\n", stderr: "" });
    await worldline(["config", "untrust"]);
    expect(await worldline(get)).toMatchObject({ code: 0, stdout: "true\n" });
    const explained = JSON.parse((await worldline(["config", "--explain", "--json"])).stdout);
    expect(explained).toMatchObject({
      trust: "untrusted",
      warnings: [expect.stringContaining("not trusted yet")],
    });
    expect(await worldline([...get, "--trust"])).toMatchObject({ code: 0, stdout: "false\n" });
    const environment = { WORLDLINE_FILE_CHECKPOINTING: "1" };
    expect(await worldline(get, { environment })).toMatchObject({
      stdout: "true\n",
      stderr: expect.stringContaining("WORLDLINE_FILE_CHECKPOINTING overrides"),
    });
  });

  it("stops at invalid settings with exit code 52 and the place", async () => {
    mkdirSync(join(root, "home"));
    const file = join(root, "home", "settings.json");
    writeFileSync(file, '{\n  "lock": { "waitMs": "long" }\n}\n');
    const { code, stdout } = await worldline(["config", "--json"]);
    expect(code).toBe(52);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: "SETTINGS_INVALID",
        reason: "settings-value-unexpected",
        params: {
          file,
          line: 2,
          column: 23,
          key: "lock.waitMs",
          expected: { is: "whole-number", from: 0, to: 86_400_000 },
          found: '"long"',
        },
        message: `${file}:2:23: expected a whole number from 0 to 86400000 for lock.waitMs, found "long".`,
        hint: expect.any(String),
      },
    });
  });

  it("does not mind that its reader leaves early", async () => {
    const left = await worldline(["config", "--explain"], { after: "| true" });
    expect(left).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  // Only Linux has /dev/full.
  it.skipIf(process.platform !== "linux")("minds that its answer could not be written", async () => {
    const full = await worldline(["config"], { after: "> /dev/full" });
    expect(full.code).toBe(1);
    expect(full.stderr).toContain("ENOSPC");
  });
});
