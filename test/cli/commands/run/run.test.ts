import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exitOf } from "../../../../src/app/run.ts";
import { playground } from "../../support/command-line.ts";

/**
 * A workspace with a file, and a command that changes that file, creates an ignored one and removes another.
 */
function workshop() {
  const { worldline, workspace } = playground();
  mkdirSync(join(workspace, "src"));
  writeFileSync(join(workspace, "src/a"), "one\n");
  writeFileSync(join(workspace, "old"), "old\n");
  writeFileSync(join(workspace, ".gitignore"), ".env\n");
  const script = "echo two > src/a; echo S=1 > .env; rm old; exit 7";
  const state = () => ({
    a: readFileSync(join(workspace, "src/a"), "utf8"),
    env: existsSync(join(workspace, ".env")),
    old: existsSync(join(workspace, "old")),
  });
  const run = (typed?: string, ...options: string[]) =>
    worldline(["run", ...options, "--", "sh", "-c", script], typed === undefined ? {} : { typed });
  return { worldline, workspace, run, state };
}
const before = { a: "one\n", env: false, old: true };
const after = { a: "two\n", env: true, old: false };

describe("worldline run", () => {
  it("hands on the exit code, says what changed and how to go back, and leaves standard output alone", async () => {
    const { run, state, worldline } = workshop();
    const said = await run();
    expect({ code: said.code, stdout: said.stdout }).toEqual({ code: 7, stdout: "" });
    expect(said.stderr).toContain("Checkpoint #1, before: sh -c");
    expect(said.stderr).toContain("1 file changed, 1 deleted, 1 created\nTo go back: worldline rewind 1\n");
    expect(state()).toEqual(after);
    expect((await worldline("rewind 1")).code).toBe(0);
    expect(state()).toEqual(before);
  });

  it("keeps what was done when the user says nothing", async () => {
    const { run, state } = workshop();
    const said = await run("\n");
    expect(said.stderr).toContain("Kept. To go back later: worldline rewind 1");
    expect([said.code, state()]).toEqual([7, after]);
  });

  it("shows what was done, and goes back, also with an ignored file that the command made", async () => {
    const { run, state } = workshop();
    const said = await run("what\nl\np\nb\n");
    expect(said.stderr).toContain('"what" is not an option: type k, l, p or b.');
    expect(said.stderr).toContain("delete  old");
    expect(said.stderr).toContain("-one\n+two");
    expect(said.stderr).toContain("Files: 1 restored, 1 created, 1 removed, 0 kept, 0 failed");
    expect([said.code, state()]).toEqual([7, before]);
  });

  it("answers with one document for --json", async () => {
    const { run } = workshop();
    const { code, stdout } = await run(undefined, "--json");
    expect([code, JSON.parse(stdout)]).toEqual([
      7,
      {
        code: 7,
        signal: null,
        session: expect.any(String),
        before: { number: 1, snapshot: expect.any(String) },
        after: { number: 2, snapshot: expect.any(String) },
        changes: { created: 1, deleted: 1, changed: 1, folders: 0 },
        files: null,
      },
    ]);
  });

  it("asks nothing when nothing changed", async () => {
    const { worldline } = workshop();
    const said = await worldline(["run", "--", "true"], { typed: "" });
    expect(said.stderr).toContain("No files changed.");
    expect(said.code).toBe(0);
  });

  it.each([
    ["nobody-has-this-command", 127, "it was not found"],
    ["./old", 126, "it is not executable"],
  ])("says why %s could not be started", async (command, code, why) => {
    const { worldline } = workshop();
    const said = await worldline(["run", "--", command]);
    expect(said.code).toBe(code);
    expect(said.stderr).toContain(why);
  });

  it("needs a command", async () => {
    expect(await playground().worldline("run")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("worldline run -- npm audit fix --force"),
    });
  });

  it("runs without a way back where files cannot be captured, and says so, unless that is forbidden", async () => {
    const { run, state } = workshop();
    const off = ["--setting", "enableFileCheckpointing=false"];
    const refused = await run(undefined, "--strict", ...off);
    expect([refused.code, state()]).toEqual([1, before]);
    const said = await run(undefined, ...off);
    expect(said.stderr).toContain("warning: The files were not captured before the command");
    expect([said.code, state()]).toEqual([7, after]);
  });
});

it("a command that a signal ended has the exit code that shells give it", () => {
  expect([exitOf(3, null), exitOf(null, "SIGKILL"), exitOf(null, "SIGINT")]).toEqual([3, 137, 130]);
});
