import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openClaude } from "../../../src/app/agent/open-claude.ts";
import type { Frame } from "../../../src/cli/frame.ts";
import { playground } from "../../cli/support/command-line.ts";
import { frameOf } from "../../cli/support/frame-of.ts";

const NAME = "@anthropic-ai/claude-agent-sdk";
const CODE = ["query", "getSessionMessages", "forkSession", "createSdkMcpServer", "tool"]
  .map((name) => `export const ${name} = () => undefined;`)
  .join("\n");

/** A workspace on a machine with a module that can be loaded in place of the SDK. */
function machine() {
  const place = playground();
  const sdk = join(place.root, "sdk");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const folder = join(sdk, "node_modules", NAME);
  write(
    join(folder, "package.json"),
    JSON.stringify({ name: NAME, version: "0.3.325", main: "sdk.mjs", type: "module" }),
  );
  write(join(folder, "sdk.mjs"), CODE);
  const environment = { WORLDLINE_CLAUDE_SDK: sdk };
  const opened = async (
    given: Record<string, string> = {},
    request: Parameters<typeof openClaude>[1] = {},
  ) => {
    const frame = frameOf(place, { environment: { ...environment, ...given } });
    const warnings = warningsOf(frame);
    const { start } = await openClaude(frame, request);
    return { start, warnings };
  };
  return {
    ...place,
    folder,
    environment,
    opened,
    put: (path: string, text: string) => write(join(place.workspace, path), text),
  };
}

function warningsOf(frame: Frame): readonly string[] {
  const warnings: string[] = [];
  frame.output.linesOnly((line) => warnings.push(line));
  return warnings;
}

const everything = ["user", "project", "local"];

describe("opening the host claude", () => {
  it("starts processes as the SDK would by itself, unless configured otherwise", async () => {
    const { opened } = machine();
    expect(await opened()).toMatchObject({
      start: { settingSources: everything, checkpoints: "off" },
      warnings: [],
    });
    expect((await opened()).start).not.toHaveProperty("model");
  });

  it("takes the model that is wanted, without the name of its provider", async () => {
    const { opened } = machine();
    const cases = [
      [{}, { model: "opus" }, "opus"],
      [{}, { model: " anthropic/claude-opus-4-8 " }, "claude-opus-4-8"],
      [{}, { model: "claude/opus" }, "opus"],
      [{}, { model: "my/claude/opus" }, "my/claude/opus"],
      [{ WORLDLINE_CLAUDE_MODEL: "sonnet" }, {}, "sonnet"],
      [{ WORLDLINE_CLAUDE_MODEL: "sonnet" }, { model: "opus" }, "opus"],
      [{ WORLDLINE_MODEL: "openai/gpt" }, {}, undefined],
      [{}, { model: "claude" }, undefined],
    ] as const;
    const models: unknown[] = [];
    for (const [environment, request] of cases) models.push((await opened(environment, request)).start.model);
    expect(models).toEqual(cases.map(([, , model]) => model));
  });

  it("warns that the SDK is newer than the tested versions", async () => {
    const { opened, folder } = machine();
    const manifest = { name: NAME, version: "0.99.0", main: "sdk.mjs", type: "module" };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    expect((await opened()).warnings).toEqual([expect.stringContaining("0.99.0")]);
  });

  it("passes on the window in the settings", async () => {
    const { opened } = machine();
    expect((await opened()).start).not.toHaveProperty("window");
    expect((await opened({ WORLDLINE_CONTEXT_WINDOW: "9000" })).start.window).toBe(9_000);
  });

  it("uses no key of Worldline's if the user has logged in to Claude", async () => {
    const { opened, home, root } = machine();
    const CLAUDE_CONFIG_DIR = join(root, "claude");
    mkdirSync(home);
    mkdirSync(CLAUDE_CONFIG_DIR);
    writeFileSync(join(home, "keys.json"), '{"ANTHROPIC_API_KEY":"kept"}', { mode: 0o600 });
    expect((await opened({ CLAUDE_CONFIG_DIR })).start.env["ANTHROPIC_API_KEY"]).toBe("kept");
    writeFileSync(join(CLAUDE_CONFIG_DIR, ".credentials.json"), "{}");
    expect((await opened({ CLAUDE_CONFIG_DIR })).start.env).not.toHaveProperty("ANTHROPIC_API_KEY");
  });

  it("leaves the workspace's own words out until they are trusted", async () => {
    const paths = [
      ".claude/settings.json",
      ".claude/skills/one/SKILL.md",
      ".mcp.json",
      ".worldline/settings.json",
    ];
    for (const path of paths) {
      const { opened, put, worldline } = machine();
      put(path, "{}");
      const untrusted = await opened();
      expect(untrusted.start.settingSources).toEqual(["user"]);
      expect(untrusted.warnings).toEqual([expect.stringContaining("worldline config trust")]);
      expect(await worldline("config trust")).toMatchObject({ code: 0 });
      expect(await opened()).toMatchObject({ start: { settingSources: everything }, warnings: [] });
      await worldline("config untrust");
      expect((await opened()).start.settingSources).toEqual(["user"]);
    }
  });

  it("does not trust what Claude's settings have become since", async () => {
    const { opened, put, worldline } = machine();
    put(".claude/settings.json", "{}");
    await worldline("config trust");
    put(".claude/settings.json", '{"hooks":{}}');
    expect((await opened()).start.settingSources).toEqual(["user"]);
  });

  it("does not trust Claude's settings because the user has changed Worldline's", async () => {
    const { opened, put, worldline } = machine();
    put(".claude/settings.json", "{}");
    await worldline("config set checkpointKeepCount 20 --where workspace");
    expect((await opened()).start.settingSources).toEqual(["user"]);
  });

  it("says what contradicts itself, and what holds", async () => {
    const { opened } = machine();
    const environment = {
      WORLDLINE_FILE_CHECKPOINTING: "0",
      CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1",
    };
    expect(await opened(environment)).toMatchObject({
      start: { checkpoints: "on" },
      warnings: [expect.stringContaining('fails with "Checkpoint feature not enabled"')],
    });
  });

  it("continues without a file of keys that others can read", async () => {
    const { opened, home } = machine();
    mkdirSync(home);
    writeFileSync(join(home, "keys.json"), '{"ANTHROPIC_API_KEY":"kept"}', { mode: 0o600 });
    expect((await opened()).start.env["ANTHROPIC_API_KEY"]).toBe("kept");
    chmodSync(join(home, "keys.json"), 0o644);
    const { start, warnings } = await opened();
    expect(start.env).not.toHaveProperty("ANTHROPIC_API_KEY");
    expect(warnings).toEqual([expect.stringContaining("Other users can read the keys")]);
  });

  it("never takes a folder for the SDK that depends on the current folder", async () => {
    await expect(machine().opened({ WORLDLINE_CLAUDE_SDK: "sdk" })).rejects.toMatchObject({
      code: "SETTINGS_INVALID",
      message: 'claude.sdk is "sdk", which is not an absolute path.',
    });
  });
});

describe("on the command line, the host claude", () => {
  it("is refused with the way to install it, where the SDK is not there", async () => {
    const { worldline, root } = playground();
    const environment = { WORLDLINE_CLAUDE_SDK: join(root, "nowhere") };
    const said = await worldline(["-p", "hello", "--host", "claude"], { environment });
    expect(said).toMatchObject({
      code: 42,
      stdout: "",
      stderr: expect.stringContaining("npm install --prefix"),
    });
    expect(
      await worldline(["-p", "hello"], { environment: { ...environment, WORLDLINE_HOST: "claude" } }),
    ).toEqual(said);
  });

  it("is in the doctor's report, where it is wanted or there", async () => {
    const { worldline, environment, folder, root } = machine();
    const about = async (given: Record<string, string>) => {
      const { stdout } = await worldline("doctor --json", { environment: given });
      return (JSON.parse(stdout).checks as { about: string; message: string }[])
        .filter((check) => check.about === "versions")
        .slice(1);
    };
    expect(await about(environment)).toEqual([
      { about: "versions", status: "ok", message: `Claude Agent SDK 0.3.325 found in ${folder}` },
    ]);
    const nowhere = { WORLDLINE_CLAUDE_SDK: join(root, "nowhere") };
    expect(await about(nowhere)).toEqual([]);
    expect(await about({ ...nowhere, WORLDLINE_HOST: "claude" })).toMatchObject([
      { status: "error", hint: expect.stringContaining("npm install") },
    ]);
  });

  it("needs no key from `worldline setup`", async () => {
    const { worldline } = playground();
    expect(await worldline("setup --json", { environment: { WORLDLINE_HOST: "claude" } })).toEqual({
      code: 0,
      stdout: `${JSON.stringify({ host: "claude", key: "not-needed" }, undefined, 2)}\n`,
      stderr: "",
    });
  });
});
