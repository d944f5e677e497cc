import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type LoadedSettings,
  loadSettings,
  readTrust,
  readTrustSubject,
  type SettingsRequest,
  sealOf,
  trustedPaths,
} from "../../../src/app/settings/settings.ts";
import { settingKeys, settingOf } from "../../../src/app/settings/table.ts";
import { playground } from "../../cli/support/command-line.ts";

function started() {
  const place = playground();
  const { home, workspace } = place;
  return {
    ...place,
    trust: join(home, "trust.json"),
    put: (path: string, content: string) => {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), content);
    },
    /** Writes the home's trust.json. */
    record: (text: string) => {
      mkdirSync(home, { recursive: true });
      writeFileSync(join(home, "trust.json"), text);
    },
    load: (request: Partial<SettingsRequest> = {}) =>
      loadSettings({ home, workspace, environment: {}, given: {}, trust: "as-recorded", ...request }),
    seal: async () => sealOf(await readTrustSubject(home, workspace)),
  };
}

const trustOf = ({ trust, claude }: LoadedSettings) => ({ trust, claude });
const off = '{ "enableFileCheckpointing": false }';

describe("the settings that are loaded", () => {
  it("are the defaults if nothing is set", async () => {
    const { load, files } = started();
    const unset = settingKeys.map((key) => {
      const { default: value, layers } = settingOf(key);
      const items = layers === "union" ? { items: [] } : {};
      return { key, value, source: { layer: "default" }, overrode: [], ignored: [], ...items };
    });
    expect(await load()).toEqual({
      explained: unset,
      values: Object.fromEntries(settingKeys.map((key) => [key, settingOf(key).default])),
      files: [
        { layer: "user", path: files.user, state: "missing" },
        { layer: "workspace", path: files.workspace, state: "missing" },
        { layer: "local", path: files.local, state: "missing" },
      ],
      trust: "nothing-to-trust",
      claude: "nothing-to-trust",
      mcp: undefined,
      warnings: [],
    });
  });

  it("come from the user, the workspace, the environment, and the options, with all warnings", async () => {
    const { load, write, files, put, workspace, record, trust } = started();
    write("user", '{\n  "trash": { "day": 1 },\n  "enableFileCheckpointing": false\n}');
    write("local", '{ "model": "a/b", "trash": { "days": 1 }, "lock": { "waitMs": 3 } }');
    put(".mcp.json", "{}");
    put(".claude/settings.json", "{}");
    record("[]");
    const environment = { WORLDLINE_FILE_CHECKPOINTING: "1", WORLDLINE_TRASH_DAYS: "40" };
    const loaded = await load({ environment, given: { "trash.days": "50" } });
    expect(loaded).toMatchObject({
      values: { enableFileCheckpointing: true, "trash.days": 50, "lock.waitMs": 3, model: "" },
      files: [{ state: "read" }, { state: "missing" }, { state: "read" }],
      trust: "untrusted",
      claude: "untrusted",
      mcp: join(workspace, ".mcp.json"),
    });
    expect(loaded.warnings).toEqual([
      { about: "trust-damaged", file: trust, why: "foreign" },
      {
        about: "unknown-key",
        key: { name: "trash.day", file: files.user, line: 2, column: 14, suggestion: "trash.days" },
      },
      { about: "untrusted", keys: ["model"] },
      { about: "not-the-workspaces", keys: ["trash.days"] },
      {
        about: "contradiction",
        variable: "WORLDLINE_FILE_CHECKPOINTING",
        key: "enableFileCheckpointing",
        place: `${files.user}:3`,
      },
    ]);
  });

  it("are trusted if the options say so, from then on", async () => {
    const { load, write, files } = started();
    write("workspace", off);
    const { values, explained: _, ...loaded } = await load({ trust: "from-now-on" });
    expect(values.enableFileCheckpointing).toBe(false);
    expect(loaded).toEqual({
      files: [
        { layer: "user", path: files.user, state: "missing" },
        { layer: "workspace", path: files.workspace, state: "read" },
        { layer: "local", path: files.local, state: "missing" },
      ],
      trust: "trusted",
      claude: "nothing-to-trust",
      mcp: undefined,
      warnings: [],
    });
  });

  it("cannot be trusted if the record is damaged, which is not overwritten", async () => {
    const { load, write, record, trust } = started();
    record("[]");
    write("workspace", off);
    await expect(load({ trust: "from-now-on" })).rejects.toMatchObject({
      reason: "trust-unreadable",
      params: { file: trust, why: "foreign" },
    });
    expect(readFileSync(trust, "utf8")).toBe("[]");
  });

  it("of the workspace count once it is trusted, which is then recorded for this content", async () => {
    const { load, write, trust, workspace, everything } = started();
    const empty = everything();
    await load({ trust: "from-now-on" });
    expect(everything()).toEqual(empty);
    write("workspace", off);
    expect((await load()).values.enableFileCheckpointing).toBe(true);
    const loaded = await load({ trust: "from-now-on" });
    expect([trustOf(loaded), loaded.values.enableFileCheckpointing]).toEqual([
      { trust: "trusted", claude: "nothing-to-trust" },
      false,
    ]);
    expect((await load()).trust).toBe("trusted");
    const text = readFileSync(trust, "utf8");
    const workspaces = { [workspace]: expect.stringMatching(/^[0-9a-f]{64}$/u) };
    expect(JSON.parse(text)).toEqual({ workspaces });
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), undefined, 2)}\n`);
    expect(statSync(trust).mode & 0o777).toBe(0o600);
    const trusted = everything();
    await load({ trust: "from-now-on" });
    expect(everything()).toEqual(trusted);
  });

  it("are trusted together with the workspace's .claude folder, which has its own trust", async () => {
    const { load, put, trust, workspace } = started();
    put(".claude/other.txt", "");
    expect((await load()).claude).toBe("nothing-to-trust");
    symlinkSync("nowhere", join(workspace, ".claude", "settings.json"));
    expect((await load()).claude).toBe("untrusted");
    rmSync(join(workspace, ".claude", "settings.json"));
    put(".claude/settings.json", '{ "hooks": {} }');
    const untrusted = { trust: "nothing-to-trust", claude: "untrusted" };
    expect(trustOf(await load())).toEqual(untrusted);
    expect(trustOf(await load({ trust: "from-now-on" }))).toEqual({ ...untrusted, claude: "trusted" });
    expect(trustOf(await load())).toEqual({ ...untrusted, claude: "trusted" });
    expect(JSON.parse(readFileSync(trust, "utf8"))).toEqual({
      workspaces: { [workspace]: expect.any(String) },
      claude: { [workspace]: expect.any(String) },
    });
    put(".worldline/settings.json", off);
    expect(trustOf(await load())).toEqual({ trust: "untrusted", claude: "trusted" });
    expect(trustOf(await load({ trust: "from-now-on" }))).toEqual({ trust: "trusted", claude: "trusted" });
    put(".claude/agents/a.md", "");
    expect(trustOf(await load())).toEqual({ trust: "trusted", claude: "untrusted" });
    expect(trustOf(await load({ trust: "from-now-on" }))).toEqual({ trust: "trusted", claude: "trusted" });
  });

  it("keep the trust in other workspaces, sorted, when one more is trusted", async () => {
    const { load, put, record, trust, workspace } = started();
    record(
      JSON.stringify({ workspaces: { "/z": "2", "/a": "1", "/odd": 3 }, claude: { "/z": "4", "/b": "3" } }),
    );
    put(".claude/settings.json", "{}");
    await load({ trust: "from-now-on" });
    const { workspaces, claude } = JSON.parse(readFileSync(trust, "utf8"));
    expect(Object.entries(workspaces)).toEqual([
      ["/a", "1"],
      [workspace, expect.any(String)],
      ["/z", "2"],
    ]);
    expect(Object.entries(claude)).toEqual([
      ["/b", "3"],
      [workspace, expect.any(String)],
      ["/z", "4"],
    ]);
  });
});

describe("the record of trusted workspaces", () => {
  const none = { byWorkspace: new Map(), claudeByWorkspace: new Map() };

  it("is empty if the home does not exist, or is a file", async () => {
    const { home, root } = started();
    expect(await readTrust(home)).toEqual(none);
    writeFileSync(join(root, "file"), "");
    expect(await readTrust(join(root, "file"))).toEqual(none);
  });

  it("is damaged if it is not what Worldline writes", async () => {
    const { home, record } = started();
    const damageOf = async (text: string) => {
      record(text);
      const { damage, ...rest } = await readTrust(home);
      expect(rest).toEqual(none);
      return damage;
    };
    for (const text of ["[]", "{}", '{"workspaces": 3}']) expect(await damageOf(text)).toBe("foreign");
    expect(await damageOf("{")).toEqual({ system: expect.stringMatching(/^SyntaxError: /u) });
  });

  it("contains the fingerprints of the settings and of Claude's configuration", async () => {
    const { home, record } = started();
    record('{ "workspaces": { "/a": "1", "/odd": 2 }, "claude": { "/b": "3" } }');
    expect(await readTrust(home)).toEqual({
      byWorkspace: new Map([["/a", "1"]]),
      claudeByWorkspace: new Map([["/b", "3"]]),
    });
  });
});

describe("what the user trusts", () => {
  it("is every file that a workspace can configure, and not the user's own", async () => {
    const { home, workspace, write, files, put } = started();
    for (const layer of ["user", "workspace", "local"] as const) write(layer, "{}");
    put(".mcp.json", "{}");
    put(".claude/settings.json", "{}");
    expect(trustedPaths(await readTrustSubject(home, workspace))).toEqual([
      files.workspace,
      files.local,
      join(workspace, ".mcp.json"),
      join(workspace, ".claude"),
    ]);
  });

  it("has another seal after any change of any of its files, and the old seal when the change is undone", async () => {
    const { seal, put, write } = started();
    const seals = [await seal()];
    const changes: (readonly [string, string])[] = [
      [".worldline/settings.json", "{}"],
      [".worldline/settings.local.json", "{}"],
      [".worldline/settings.json", "{}{}"],
      [".mcp.json", "{}"],
      [".mcp.json", "[]"],
      [".claude/settings.json", "{}"],
      [".claude/settings.local.json", "{}"],
      [".claude/settings.json", "{ }"],
      [".claude/settings.local.json", "[]"],
      [".claude/skills/one/SKILL.md", ""],
      [".claude/commands/one.md", ""],
      [".claude/agents/one.md", ""],
    ];
    for (const [path, content] of changes) {
      put(path, content);
      seals.push(await seal());
    }
    expect(new Set(seals).size).toBe(changes.length + 1);
    const last = seals.at(-1);
    write("user", "{}");
    put(".claude/agents/two.md", "");
    expect(await seal()).toBe(last);
    write("local", "{ }");
    expect(await seal()).not.toBe(last);
    write("local", "{}");
    expect(await seal()).toBe(last);
  });

  it("cannot be the same for other files, even if their contents together are the same", async () => {
    const split = async (parts: Readonly<Record<string, string>>) => {
      const { put, seal } = started();
      for (const [path, content] of Object.entries(parts)) put(path, content);
      return seal();
    };
    const [shared, local] = [".worldline/settings.json", ".worldline/settings.local.json"];
    const [settings, settingsLocal] = [".claude/settings.json", ".claude/settings.local.json"];
    const seals = await Promise.all([
      split({ [shared]: "{}" }),
      split({ [local]: "{}" }),
      split({ ".mcp.json": "{}" }),
      split({ [shared]: "{}", [local]: "" }),
      split({ [shared]: "{", [local]: "}" }),
      split({ [shared]: "{}", ".mcp.json": "" }),
      split({ [settings]: "{}", [settingsLocal]: "" }),
      split({ [settings]: "{", [settingsLocal]: "}" }),
      split({ [settings]: "", [settingsLocal]: "{}" }),
    ]);
    expect(new Set(seals).size).toBe(seals.length);
  });
});
