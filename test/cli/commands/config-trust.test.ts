import { mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../support/command-line.ts";

const off = '{ "enableFileCheckpointing": false }';
const get = "config get enableFileCheckpointing";

describe("a workspace's settings", () => {
  it.each(["workspace", "local"] as const)(
    "in the %s file are ignored until trusted, with a notice",
    async (layer) => {
      const { worldline, write } = playground();
      write(layer, off);
      const before = await worldline(get);
      expect(before.stdout).toBe("true\n");
      expect(before.stderr).toContain("these are ignored: enableFileCheckpointing");
      expect(await worldline("config trust")).toMatchObject({ code: 0 });
      expect(await worldline(get)).toEqual({ code: 0, stdout: "false\n", stderr: "" });
    },
  );

  it("may make Worldline more careful at once", async () => {
    const { worldline, write } = playground();
    write("workspace", '{ "lock": { "waitMs": 3 }, "checkpointKeepCount": 90 }');
    expect(await worldline("config get lock.waitMs")).toEqual({
      code: 0,
      stdout: "3\n",
      stderr: "",
    });
    expect(await worldline("config get checkpointKeepCount")).toEqual({
      code: 0,
      stdout: "90\n",
      stderr: "",
    });
    write("workspace", '{ "lock": { "waitMs": 300000 }, "checkpointKeepCount": 9 }');
    expect(await worldline("config get lock.waitMs")).toMatchObject({ stdout: "30000\n" });
    expect(await worldline("config get checkpointKeepCount")).toMatchObject({ stdout: "10\n" });
  });

  it.each(["workspace", "local"] as const)(
    "never decide how long the trash is kept, which is one for all (%s)",
    async (layer) => {
      const { worldline, write, files, everything } = playground();
      write("user", '{ "trash": { "days": 60 } }');
      write(layer, '{ "trash": { "days": 1 } }');
      await worldline("config trust");
      const said = await worldline("config get trash.days");
      expect(said).toMatchObject({ code: 0, stdout: "60\n" });
      expect(said.stderr).toMatch(
        /^warning: These settings are ignored because a workspace cannot set them, even if it is trusted: trash\.days\./u,
      );
      expect((await worldline("config --explain")).stdout).toContain(
        `ignored, because a workspace cannot set it: 1 (${files[layer]}:1)`,
      );
      expect((await worldline("config get trash.days --setting trash.days=2")).stdout).toBe("2\n");
      const before = everything();
      expect(await worldline(`config set trash.days 5 --where ${layer}`)).toMatchObject({
        code: 42,
        stderr: expect.stringContaining("Leave out --where"),
      });
      expect(everything()).toEqual(before);
    },
  );

  it("are trusted by --trust on any command, from then on", async () => {
    const { worldline, write, home } = playground();
    write("workspace", off);
    expect(await worldline(`${get} --trust`)).toEqual({ code: 0, stdout: "false\n", stderr: "" });
    expect(await worldline(get)).toEqual({ code: 0, stdout: "false\n", stderr: "" });
    expect(statSync(join(home, "trust.json")).mode & 0o777).toBe(0o600);
  });

  it("lose their trust with any change, and get it back with the old content", async () => {
    const { worldline, write } = playground();
    write("workspace", off);
    await worldline("config trust");
    write("workspace", `${off} `);
    expect(await worldline(get)).toMatchObject({ stdout: "true\n" });
    write("workspace", off);
    expect(await worldline(get)).toMatchObject({ stdout: "false\n" });
    write("local", "{}");
    expect(await worldline(get)).toMatchObject({ stdout: "true\n" });
  });

  it("lose their trust when they move from the local file to the shared one", async () => {
    const { worldline, write, files } = playground();
    write("local", off);
    await worldline("config trust");
    renameSync(files.local, files.workspace);
    expect(await worldline(get)).toMatchObject({ stdout: "true\n" });
  });

  it("are trusted in their folder only, by whatever link it is reached", async () => {
    const { worldline, write, root, workspace } = playground();
    write("workspace", off);
    await worldline("config trust");
    symlinkSync(workspace, join(root, "link"));
    expect(await worldline(`${get} --workspace ${join(root, "link")}`)).toMatchObject({ stdout: "false\n" });
    mkdirSync(join(root, "copy", ".worldline"), { recursive: true });
    writeFileSync(join(root, "copy", ".worldline", "settings.json"), off);
    expect(await worldline(`${get} --workspace ${join(root, "copy")}`)).toMatchObject({ stdout: "true\n" });
  });

  it("can be distrusted again", async () => {
    const { worldline, write } = playground();
    write("workspace", off);
    await worldline("config trust");
    expect(JSON.parse((await worldline("config untrust --json")).stdout)).toMatchObject({
      outcome: "untrusted",
    });
    expect(await worldline(get)).toMatchObject({ stdout: "true\n" });
    expect(JSON.parse((await worldline("config untrust --json")).stdout)).toMatchObject({
      outcome: "unchanged",
    });
  });

  it("that are not there cannot be trusted in advance", async () => {
    const { worldline, write } = playground();
    expect(JSON.parse((await worldline("config trust --json")).stdout)).toMatchObject({
      trust: "nothing-to-trust",
    });
    write("workspace", off);
    expect(await worldline(get)).toMatchObject({ stdout: "true\n" });
  });

  it("that cannot be read are not trusted", async () => {
    const { worldline, write, everything } = playground();
    write("workspace", '{ "enableFileCheckpointing": 0 }');
    const before = everything();
    expect(await worldline("config trust")).toMatchObject({ code: 52 });
    expect(await worldline("config --trust")).toMatchObject({ code: 52 });
    expect(everything()).toEqual(before);
  });

  it("stay trusted when the user changes them by `config set`, but are not trusted by it", async () => {
    const { worldline, write } = playground();
    const set = "config set enableFileCheckpointing false --where workspace";
    expect(await worldline(set)).toMatchObject({ code: 0, stderr: "" });
    expect(await worldline(get)).toEqual({ code: 0, stdout: "false\n", stderr: "" });
    write("workspace", '{ "compaction": { "keep": 9 } }');
    const { code, stderr } = await worldline(set);
    expect(code).toBe(0);
    expect(stderr).toContain("enableFileCheckpointing is ignored here until you trust");
    expect(await worldline(get)).toMatchObject({ stdout: "true\n" });
    expect(await worldline(`${set} --trust`)).toMatchObject({ code: 0 });
    expect(await worldline(get)).toMatchObject({ stdout: "false\n" });
  });
});

describe("a damaged trust.json", () => {
  it.each(["", "{", "[]", '{"workspaces": 3}'])(
    "of %j trusts nothing, says so, and is not overwritten",
    async (text) => {
      const { worldline, write, home } = playground();
      write("workspace", off);
      mkdirSync(home);
      writeFileSync(join(home, "trust.json"), text);
      const { code, stdout, stderr } = await worldline(get);
      expect({ code, stdout }).toEqual({ code: 0, stdout: "true\n" });
      expect(stderr).toContain("Nothing is trusted, because");
      expect(await worldline("config trust")).toMatchObject({ code: 52 });
      expect(readFileSync(join(home, "trust.json"), "utf8")).toBe(text);
    },
  );
});
