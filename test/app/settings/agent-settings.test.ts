import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../../cli/support/command-line.ts";

const deny = '{\n  "permissions": {\n    "deny": [\n      "Bash(rm:*)"\n    ]\n  }\n}';

describe("settings of the agent", () => {
  it("show of each rule where it comes from, and what is ignored until trusted", async () => {
    const { worldline, write, files } = playground();
    write("user", '{\n  "permissions": {\n    "deny": ["Read(.env)"]\n  }\n}');
    write(
      "workspace",
      '{ "model": "a/b", "permissions": {\n "allow": ["Bash"],\n "deny": ["Bash(rm:*)", "Read(.env)"] } }',
    );
    const environment = { WORLDLINE_PERMISSIONS_DENY: "WebFetch, Bash(a, b)\nTask" };
    const { stdout, stderr } = await worldline("config --explain", { environment });
    const lines = stdout.split("\n");
    const from = lines.findIndex((line) => line.startsWith("permissions.deny"));
    expect(lines.slice(from, from + 5).map((line) => line.trim().split(/\s{2,}/u))).toEqual([
      ["permissions.deny", "Read(.env)", `${files.user}:3`],
      ["Bash(rm:*)", `${files.workspace}:3`],
      ["WebFetch", "environment WORLDLINE_PERMISSIONS_DENY"],
      ["Bash(a, b)", "environment WORLDLINE_PERMISSIONS_DENY"],
      ["Task", "environment WORLDLINE_PERMISSIONS_DENY"],
    ]);
    expect(stdout).toContain(`ignored until trusted: Bash (${files.workspace}:2)`);
    expect(stderr).toContain("these are ignored: model, permissions.allow.");
    const { settings } = JSON.parse((await worldline("config --explain --json", { environment })).stdout);
    expect(settings.find(({ key }: { key: string }) => key === "permissions.deny")).toMatchObject({
      value: ["Read(.env)", "Bash(rm:*)", "WebFetch", "Bash(a, b)", "Task"],
      items: [
        { item: "Read(.env)", source: { layer: "user", line: 3, column: 14 } },
        { item: "Bash(rm:*)", source: { layer: "workspace", line: 3, column: 11 } },
        { item: "WebFetch" },
        { item: "Bash(a, b)" },
        { item: "Task" },
      ],
    });
  });

  it("are read, shown and written as lists and tables", async () => {
    const { worldline, read } = playground();
    expect(await worldline("config get permissions.allow")).toEqual({ code: 0, stdout: "", stderr: "" });
    const set = await worldline(["config", "set", "permissions.deny", "Bash(rm:*),Task"]);
    expect(set).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(read("user"))).toEqual({ permissions: { deny: ["Bash(rm:*)", "Task"] } });
    expect((await worldline("config get permissions.deny")).stdout).toBe("Bash(rm:*)\nTask\n");
    const models = '{"a/b":{"window":5}}';
    expect(await worldline(["config", "get", "models", "--setting", `models=${models}`])).toMatchObject({
      stdout: `${models}\n`,
    });
    const { stdout } = await worldline(["config", "--setting", `models=${models}`]);
    expect(stdout).toContain(`\nmodels = ${models}\nproviders = none\n`);
    expect(stdout).toContain("\npermissions.deny = Bash(rm:*), Task\n");
  });

  it.each([
    ["permissions.deny=Bash,bash", 'item 2: expected a rule: there is no tool "bash"; write Bash.'],
    ["models=5", 'models cannot be "5"; expected a table of models'],
    ['providers={"p":{"kind":"x"}}', 'p / kind: expected "anthropic" or'],
    ["compaction.ratio=2", "expected a number from 0.1 to 1."],
    ["permissions.mode=yolo", 'expected "manual" or "accept-edits" or "plan" or "auto".'],
  ])("cannot be %j, and say why", async (setting, why) => {
    const { worldline } = playground();
    const { code, stderr } = await worldline(["config", "--setting", setting]);
    expect(code).toBe(42);
    expect(stderr).toContain(why);
  });

  it("stop with exit code 52 if a file has an invalid rule", async () => {
    const { worldline, write, files } = playground();
    write("user", deny.replace("Bash(rm:*)", "Bash(rm"));
    const { code, stderr } = await worldline("config");
    expect(code).toBe(52);
    expect(stderr).toContain(
      `${files.user}:4:7: expected a rule for permissions.deny, found "Bash(rm": it does not end with a closing parenthesis.`,
    );
  });
});

describe("a workspace's .mcp.json", () => {
  const trustOf = async ({ worldline }: ReturnType<typeof playground>) =>
    JSON.parse((await worldline("config --explain --json")).stdout).trust;

  it("is trusted with the settings, and any change of it ends that", async () => {
    const deps = playground();
    const file = join(deps.root, "workspace", ".mcp.json");
    expect(await trustOf(deps)).toBe("nothing-to-trust");
    writeFileSync(file, "{}");
    expect(await trustOf(deps)).toBe("untrusted");
    const { stdout } = await deps.worldline("config trust");
    expect(stdout).toContain(file);
    expect(await trustOf(deps)).toBe("trusted");
    writeFileSync(file, '{ "mcpServers": {} }');
    expect(await trustOf(deps)).toBe("untrusted");
    writeFileSync(file, "{}");
    expect(await trustOf(deps)).toBe("trusted");
    deps.write("workspace", deny);
    expect(await trustOf(deps)).toBe("untrusted");
  });

  it("that was not there when the settings were trusted ends that too", async () => {
    const deps = playground();
    deps.write("workspace", deny);
    await deps.worldline("config trust");
    expect(await trustOf(deps)).toBe("trusted");
    writeFileSync(join(deps.root, "workspace", ".mcp.json"), "{}");
    expect(await trustOf(deps)).toBe("untrusted");
  });

  it("that cannot be read stops no command", async () => {
    const deps = playground();
    mkdirSync(join(deps.root, "workspace", ".mcp.json"));
    expect(await deps.worldline("config get trash.days")).toMatchObject({ code: 0, stdout: "30\n" });
  });
});
