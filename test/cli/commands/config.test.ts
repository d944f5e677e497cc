import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../support/command-line.ts";

const off = '{ "enableFileCheckpointing": false }';

describe("config", () => {
  it("shows every setting", async () => {
    const { worldline } = playground();
    const { code, stdout } = await worldline("config");
    expect(code).toBe(0);
    expect(stdout).toContain("enableFileCheckpointing = true\ncheckpointKeepCount = 10\n");
    expect(JSON.parse((await worldline("config --json")).stdout)).toMatchObject({
      settings: { "lock.waitMs": 30_000 },
    });
  });

  it("explains where each value comes from, what it overrode and what is ignored", async () => {
    const { worldline, write, files } = playground();
    write("user", '{\n  "checkpointKeepCount": 60\n}');
    write("workspace", `{\n  "checkpointKeepCount": 90,\n  "log": { "blobBytes": 4096 }\n}`);
    const environment = { WORLDLINE_LOCK_WAIT_MS: "5" };
    const { stdout } = await worldline("config --explain --setting context.window=5000", { environment });
    expect(stdout).toContain(`checkpointKeepCount      90           ${files.workspace}:2\n`);
    expect(stdout).toContain(`overrode 60 (${files.user}:2)\n`);
    expect(stdout).toContain(`ignored until trusted: 4096 (${files.workspace}:3)\n`);
    expect(stdout).toContain("lock.waitMs              5            environment WORLDLINE_LOCK_WAIT_MS\n");
    expect(stdout).toContain("context.window           5000         flag --setting\n");
    const { settings, trust } = JSON.parse(
      (await worldline("config --explain --json", { environment })).stdout,
    );
    expect(trust).toBe("untrusted");
    expect(settings.find(({ key }: { key: string }) => key === "checkpointKeepCount")).toMatchObject({
      value: 90,
      source: { layer: "workspace", file: files.workspace, line: 2, column: 3 },
      overrode: [
        { value: 60, source: { layer: "user", line: 2 } },
        { value: 10, source: { layer: "default" } },
      ],
      variable: "WORLDLINE_CHECKPOINT_KEEP_COUNT",
    });
  });

  it("gets one value, bare", async () => {
    const { worldline } = playground();
    expect(await worldline("config get trash.days")).toEqual({ code: 0, stdout: "30\n", stderr: "" });
    const json = await worldline("config get trash.days --json");
    expect(JSON.parse(json.stdout)).toEqual({ key: "trash.days", value: 30 });
  });

  it.each([
    ["config get lock.wait", 42, "Did you mean lock.waitMs?"],
    ["config set lock.wait 5", 42, "Did you mean lock.waitMs?"],
    ["config set lock.waitMs soon", 42, "The default is 30000."],
    ["config set lock.waitMs -1", 42, "The default is 30000."],
    ["config set lock.waitMs 5 --where here", 42, "See: worldline config set --help"],
    ["config set lock.waitMs", 2, "See: worldline config set --help"],
    ["config gett x", 2, "Did you mean: worldline config get"],
    ["config --setting lock.waitMs", 42, "For example: --setting lock.waitMs=1000"],
    ["config --setting lock.waitMs=x", 42, "The default is 30000."],
    ["config untrust --trust", 42, "Leave out --trust."],
    ["config --workspace nowhere", 42, "Choose a folder that exists: --workspace <folder>"],
  ])("%j is refused with exit code %i, and changes nothing", async (line, code, hint) => {
    const { worldline, write, everything } = playground();
    write("user", "{ /* mine */ }");
    const before = everything();
    const said = await worldline(`${line} --json`);
    expect(said.code).toBe(code);
    expect(JSON.parse(said.stdout)).toMatchObject({ error: { hint } });
    expect(everything()).toEqual(before);
  });
});

describe("config set", () => {
  it("makes the file, for its owner only", async () => {
    const { worldline, files } = playground();
    const { code, stdout } = await worldline("config set trash.days 90");
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Set trash.days = 90 in ${files.user}\n` });
    expect(statSync(files.user).mode & 0o777).toBe(0o600);
    expect((await worldline("config get trash.days")).stdout).toBe("90\n");
    expect((await worldline("config set trash.days 90")).stdout).toContain("already");
  });

  it("keeps comments, a byte order mark, permissions, and names of other versions", async () => {
    const { worldline, write, read, files } = playground();
    write("user", '\ufeff{\n  "future": 1, // wait for it\n}\n');
    const mode = statSync(files.user).mode;
    expect(await worldline("config set trash.days 9")).toMatchObject({ code: 0 });
    expect(read("user")).toBe(
      '\ufeff{\n  "future": 1, // wait for it\n  "trash": {\n    "days": 9\n  }\n}\n',
    );
    expect(statSync(files.user).mode).toBe(mode);
  });

  it("repairs a wrong value, but does not touch a file that would still be wrong", async () => {
    const { worldline, write, read } = playground();
    write("user", '{ "trash": { "days": "soon" } }');
    expect(await worldline("config set lock.waitMs 5")).toMatchObject({ code: 52 });
    expect(read("user")).toBe('{ "trash": { "days": "soon" } }');
    expect(await worldline("config set trash.days 5")).toMatchObject({ code: 0 });
    expect(read("user")).toBe('{ "trash": { "days": 5 } }');
  });

  it("says when the value does not count, because a stronger layer hides it", async () => {
    const { worldline } = playground();
    const { code, stderr } = await worldline("config set trash.days 5", {
      environment: { WORLDLINE_TRASH_DAYS: "7" },
    });
    expect(code).toBe(0);
    expect(stderr).toBe(
      "warning: trash.days is still 7 here, overridden by: environment WORLDLINE_TRASH_DAYS\n",
    );
  });

  it("writes the file that a link leads to, but none outside the workspace", async () => {
    const { worldline, root, home, files, read } = playground();
    mkdirSync(home);
    writeFileSync(join(root, "dotfiles.json"), "{}");
    symlinkSync(join(root, "dotfiles.json"), files.user);
    expect(await worldline("config set trash.days 5")).toMatchObject({ code: 0 });
    expect(readFileSync(join(root, "dotfiles.json"), "utf8")).toContain('"days": 5');
    mkdirSync(join(root, "outside"));
    symlinkSync(join(root, "outside"), join(root, "workspace", ".worldline"));
    expect(await worldline("config set checkpointKeepCount 5 --where workspace")).toMatchObject({ code: 42 });
    expect(existsSync(join(root, "outside", "settings.json"))).toBe(false);
    expect(read("user")).toContain("5");
  });

  it("does not take a workspace's settings for its own where they are the user's", async () => {
    const { worldline, root } = playground();
    const given = { cwd: root, environment: { WORLDLINE_HOME: join(root, ".worldline") } };
    expect(await worldline("config set trash.days 5", given)).toMatchObject({ code: 0, stderr: "" });
    expect(await worldline("config set checkpointKeepCount 6 --where local", given)).toMatchObject({
      code: 42,
    });
    expect(await worldline("config get trash.days", given)).toEqual({ code: 0, stdout: "5\n", stderr: "" });
  });

  it("says that the home cannot be used when it is a file", async () => {
    const { worldline, root, home } = playground();
    writeFileSync(home, "");
    const { code, stderr } = await worldline("config set trash.days 5", { cwd: root });
    expect(code).toBe(1);
    expect(stderr).toContain("Set WORLDLINE_HOME to a folder that you can write to.");
  });
});

describe("a settings file", () => {
  it("that cannot be read stops the command with file, line and column", async () => {
    const { worldline, write, files } = playground();
    write("user", '{\n  "trash": {\n    "days": 7,,\n  }\n}');
    const { code, stdout, stderr } = await worldline("config");
    expect({ code, stdout }).toEqual({ code: 52, stdout: "" });
    expect(stderr).toContain(`error: ${files.user}:3:15: `);
  });

  it("may have a byte order mark, and may be empty", async () => {
    const { worldline, write } = playground();
    write("user", '\ufeff{ "trash": { "days": 7 } }');
    write("workspace", "");
    expect(await worldline("config get trash.days")).toEqual({ code: 0, stdout: "7\n", stderr: "" });
  });

  it("cannot be a folder, a FIFO, too large, or another encoding", async () => {
    const { worldline, write, files } = playground();
    write("user", "");
    const kinds: [string, () => void][] = [
      ["it is not a file", () => mkdirSync(files.user)],
      ["it is not a file", () => execFileSync("sh", ["-c", 'mkfifo "$0"', files.user])],
      ["it is larger than 1048576 bytes", () => writeFileSync(files.user, " ".repeat(2 ** 20 + 1))],
      ["it is not UTF-8 text", () => writeFileSync(files.user, Buffer.from('\ufeff{"a": 1}', "utf16le"))],
    ];
    for (const [why, make] of kinds) {
      rmSync(files.user, { recursive: true });
      make();
      const { code, stderr } = await worldline("config");
      expect(code, why).toBe(52);
      expect(stderr).toContain(`error: ${files.user} cannot be read: ${why}.\nhint: `);
    }
  });

  it("with a name of another version only warns", async () => {
    const { worldline, write, files } = playground();
    write("user", '{ "trash": { "day": 7 } }');
    expect(await worldline("config get trash.days")).toEqual({
      code: 0,
      stdout: "30\n",
      stderr: `warning: ${files.user}:1:14: unknown setting trash.day; ignored. Did you mean trash.days?\n`,
    });
  });

  it("with a dotted name shows how it is written in sections", async () => {
    const { worldline, write } = playground();
    write("user", '{"lock.waitMs":5}');
    expect((await worldline("config get lock.waitMs")).stderr).toContain(
      'unknown setting "lock.waitMs"; ignored. Did you mean {"lock": {"waitMs": 5}}?\n',
    );
  });

  it("is weaker than the environment, where an empty variable says nothing and a wrong one is an error", async () => {
    const { worldline } = playground();
    const get = (days: string) =>
      worldline("config get trash.days", { environment: { WORLDLINE_TRASH_DAYS: days } });
    expect(await get("")).toMatchObject({ code: 0, stdout: "30\n" });
    const wrong = await get("soon");
    expect(wrong.code).toBe(52);
    expect(wrong.stderr).toContain('The variable WORLDLINE_TRASH_DAYS is "soon"; expected a whole number');
  });

  it("that WORLDLINE_FILE_CHECKPOINTING contradicts is worth a warning", async () => {
    const { worldline, write, files } = playground();
    const environment = { WORLDLINE_FILE_CHECKPOINTING: "1" };
    expect(await worldline("config", { environment })).toMatchObject({ stderr: "" });
    write("user", off);
    const { stdout, stderr } = await worldline("config get enableFileCheckpointing", { environment });
    expect(stdout).toBe("true\n");
    expect(stderr).toBe(
      `warning: WORLDLINE_FILE_CHECKPOINTING overrides enableFileCheckpointing, which ${files.user}:1 sets to the opposite.\n`,
    );
  });
});
