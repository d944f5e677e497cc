import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

// `npm test` builds it first.
const binary = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const fixtures = fileURLToPath(new URL("../fixtures/kimi", import.meta.url));

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "worldline-e2e-"));
  mkdirSync(join(root, "workspace"));
  cpSync(fixtures, join(root, "workspace", "kimi"), { recursive: true });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

/** Runs a line of shell in which `worldline` is the built program. */
function shell(line: string, home = "home") {
  const child = spawn("bash", ["-c", `set -o pipefail; worldline() { "$NODE" "$CLI" "$@"; }; ${line}`], {
    cwd: join(root, "workspace"),
    env: {
      PATH: process.env["PATH"],
      HOME: root,
      WORLDLINE_HOME: join(root, home),
      NODE: process.execPath,
      CLI: binary,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
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

async function data(line: string, home?: string) {
  return JSON.parse((await shell(`${line} --json`, home)).stdout);
}

describe("the built command line, with sessions", () => {
  it("imports, lists, searches, renames, deletes and brings back", async () => {
    const { session } = await data("worldline sessions import kimi/reverted --workspace .");
    expect((await shell("worldline sessions")).stdout).toContain(`${session}  `);
    expect((await shell("worldline sessions search leak")).stdout).toContain(session);
    expect(await shell(`worldline sessions confirm ${session} --yes`)).toMatchObject({ code: 0 });
    expect(await shell(`worldline sessions rename ${session} "The leak"`)).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect(await shell('worldline sessions delete "The leak"')).toMatchObject({ code: 0, stderr: "" });
    expect((await shell("worldline sessions")).stdout).toContain("No sessions found.");
    expect(await shell(`worldline sessions undelete ${session}`)).toMatchObject({ code: 0 });
    expect(await data(`worldline sessions show ${session}`)).toMatchObject({
      id: session,
      title: "The leak",
    });
  });

  it("takes a session from one home to another through a pipe, byte for byte", async () => {
    const { session } = await data("worldline sessions import kimi/compacted --workspace .");
    const piped = `worldline sessions export ${session} --format bundle | WORLDLINE_HOME=../other worldline sessions import -`;
    expect(await shell(piped)).toMatchObject({ code: 0 });
    const log = (home: string) => {
      const text = readFileSync(join(root, home, "sessions", session, "log.jsonl"), "utf8");
      const [first = "", ...rest] = text.split("\n");
      const { imported, sum: _sum, ...header } = JSON.parse(first);
      return { imported, header, rest };
    };
    const [there, here] = [log("home"), log("other")];
    expect(here).toEqual({ ...there, imported: { from: "bundle", name: session, at: expect.any(String) } });
  });

  it("does not mind that the reader of an export leaves early", async () => {
    const { session } = await data("worldline sessions import kimi/plain --workspace .");
    await data(`worldline sessions confirm ${session} --yes`);
    const left = await shell("worldline sessions export --format json 2>/dev/null | true");
    expect(left).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("forgets a secret that is piped in, and is then in order", async () => {
    await shell("worldline sessions import kimi/plain --workspace .");
    const secret = "Why does the pool";
    const forgotten = await shell(`printf '%s' '${secret}' | worldline forget - --yes`);
    expect(forgotten).toMatchObject({ code: 0, stderr: "" });
    expect(forgotten.stdout).not.toContain(secret);
    expect((await shell(`grep -r '${secret}' ../home`)).stdout).toBe("");
    expect(await shell("worldline doctor")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("No problems found."),
    });
  });

  it("leaves nothing half written when it is stopped with Ctrl-C", async () => {
    const { session } = await data("worldline sessions import kimi/plain --workspace .");
    await data(`worldline sessions confirm ${session} --yes`);
    const stopped =
      '"$NODE" "$CLI" sessions export -o out.bundle & PID=$!; sleep 0.$((RANDOM % 3)); kill -INT $PID; wait $PID';
    await shell(stopped);
    const names = readdirSync(join(root, "workspace")).filter((name) => name !== "kimi");
    expect(names.filter((name) => name !== "out.bundle")).toEqual([]);
    expect(await shell("worldline doctor")).toMatchObject({ code: 0 });
  });
});
