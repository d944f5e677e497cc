import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  trustShown,
  trustWorkspace,
  untrustedIn,
  untrustWorkspace,
} from "../../../src/app/settings/trust.ts";
import { playground } from "../../cli/support/command-line.ts";
import { frameOf } from "../../cli/support/frame-of.ts";

describe("trusting a workspace", () => {
  it("trusts its present configuration, until the trust is withdrawn", async () => {
    const place = playground();
    place.write("workspace", '{ "compaction": { "keep": 5 } }');
    expect(await trustWorkspace(frameOf(place))).toEqual({
      outcome: "trusted",
      files: [place.files.workspace],
    });
    expect(await untrustedIn(frameOf(place), "native")).toBeUndefined();
    expect(await untrustWorkspace(frameOf(place))).toBe("untrusted");
    expect(await untrustWorkspace(frameOf(place))).toBe("unchanged");
    expect(await untrustedIn(frameOf(place), "native")).toMatchObject({ what: ["compaction.keep: 5"] });
  });

  it("trusts what the user was shown, and nothing else", async () => {
    const place = playground();
    place.write("workspace", '{ "compaction": { "keep": 5 } }');
    const shown = await untrustedIn(frameOf(place), "native");
    if (shown === undefined) throw new Error("there is nothing to trust");
    place.write("workspace", '{ "compaction": { "keep": 6 } }');
    const before = place.everything();
    expect(await trustShown(frameOf(place), shown)).toBe("changed");
    expect(place.everything()).toEqual(before);
    place.write("workspace", '{ "compaction": { "keep": 5 } }');
    expect(await trustShown(frameOf(place), shown)).toBe("trusted");
  });

  it("creates nothing if there is nothing to trust", async () => {
    const place = playground();
    const before = place.everything();
    expect(await trustWorkspace(frameOf(place))).toEqual({ outcome: "nothing-to-trust", files: [] });
    expect(place.everything()).toEqual(before);
  });

  it("trusts the settings, the MCP servers and Claude's configuration together, and distrusts them together", async () => {
    const place = playground();
    const mcp = join(place.workspace, ".mcp.json");
    const claude = join(place.workspace, ".claude");
    place.write("workspace", "{}");
    place.write("local", "{}");
    writeFileSync(mcp, "{}");
    mkdirSync(join(claude, "skills"), { recursive: true });
    const states = async () => {
      const { trust, claude: state } = await frameOf(place).settings();
      return [trust, state];
    };
    expect(await trustWorkspace(frameOf(place))).toEqual({
      outcome: "trusted",
      files: [place.files.workspace, place.files.local, mcp, claude],
    });
    expect(await states()).toEqual(["trusted", "trusted"]);
    expect(await untrustWorkspace(frameOf(place))).toBe("untrusted");
    expect(await states()).toEqual(["untrusted", "untrusted"]);
  });

  it("trusts nothing if a file has an invalid value", async () => {
    const place = playground();
    place.write("local", '{ "lock": { "waitMs": "soon" } }');
    const before = place.everything();
    await expect(trustWorkspace(frameOf(place))).rejects.toMatchObject({
      reason: "settings-value-unexpected",
    });
    expect(place.everything()).toEqual(before);
  });

  it("does not create the home to withdraw trust that was never given", async () => {
    const place = playground();
    const before = place.everything();
    expect(await untrustWorkspace(frameOf(place))).toBe("unchanged");
    expect(place.everything()).toEqual(before);
  });
});

describe("what the user is shown before trusting a workspace", () => {
  const seal = expect.stringMatching(/^[0-9a-f]{64}$/u);

  it("is every setting that is ignored, with its value", async () => {
    const place = playground();
    place.write(
      "workspace",
      '{ "model": "a/b", "lock": { "waitMs": 1 }, "permissions": { "allow": ["Read"] } }',
    );
    place.write("local", '{ "model": "c/d" }');
    expect(await untrustedIn(frameOf(place), "native")).toEqual({
      folder: place.workspace,
      what: ["model: a/b", "model: c/d", "permissions.allow: Read"],
      seal,
    });
  });

  it("is Claude's configuration only if Claude is the host and does not trust it yet", async () => {
    const place = playground();
    const [mcp, claude] = [".mcp.json", ".claude"].map((each) => join(place.workspace, each)) as [
      string,
      string,
    ];
    const shown = async (host: "native" | "claude") => untrustedIn(frameOf(place), host);
    expect([await shown("native"), await shown("claude")]).toEqual([undefined, undefined]);
    writeFileSync(mcp, '{ "mcpServers": { "files": { "command": "npx" } } }');
    await trustWorkspace(frameOf(place));
    mkdirSync(join(claude, "agents"), { recursive: true });
    expect(await shown("native")).toBeUndefined();
    expect(await shown("claude")).toEqual({
      folder: place.workspace,
      what: [claude],
      seal: expect.stringMatching(/^[0-9a-f]{64} [0-9a-f]{64}$/u),
    });
    place.write("workspace", '{ "model": "a/b" }');
    expect(await shown("native")).toMatchObject({ what: ["model: a/b", "MCP files: npx"] });
    await trustWorkspace(frameOf(place));
    expect(await shown("claude")).toBeUndefined();
    place.write("workspace", '{ "model": "a/c" }');
    expect(await shown("claude")).toMatchObject({ what: ["model: a/c", "MCP files: npx"] });
  });

  it("is how each MCP server is started or reached, or their file if it names none or is invalid", async () => {
    const place = playground();
    const files = {
      command: "npx",
      args: ["-y", "a b", "", 'c"d', "e\\f", "g'h"],
      env: { KEY: "1", MODE: "x" },
    };
    const mcpServers = { files, web: { url: "https://example.org/mcp" } };
    writeFileSync(join(place.workspace, ".mcp.json"), JSON.stringify({ mcpServers }));
    expect(await untrustedIn(frameOf(place), "native")).toEqual({
      folder: place.workspace,
      what: [
        String.raw`MCP files: KEY=1 MODE=x npx -y "a b" "" "c\"d" "e\\f" "g'h"`,
        "MCP web: https://example.org/mcp",
      ],
      seal,
    });
    const file = join(place.workspace, ".mcp.json");
    writeFileSync(file, "{}");
    expect(await untrustedIn(frameOf(place), "native")).toMatchObject({ what: [file] });
    writeFileSync(file, "{ broken");
    expect(await untrustedIn(frameOf(place), "native")).toMatchObject({
      what: [{ reason: "mcp-config-invalid", params: { file } }],
    });
  });
});

describe("a workspace's configuration that changes while it is read", () => {
  /** A context in which the settings file changes each time the settings are about to be read, up to `times` times. */
  function changing(times: number) {
    const place = playground();
    place.write("workspace", '{ "model": "a/0" }');
    const frame = frameOf(place);
    let changes = 0;
    const settingsRequest = async () => {
      const request = await frame.settingsRequest();
      if (changes === times) return request;
      changes += 1;
      place.write("workspace", `{ "model": "a/${changes}" }`);
      return request;
    };
    return { place, context: { ...frame, settingsRequest } };
  }

  it("is read again, and then shown as it is", async () => {
    const { place, context } = changing(2);
    const shown = await untrustedIn(context, "native");
    expect(shown).toMatchObject({ what: ["model: a/2"], seal: expect.stringMatching(/^[0-9a-f]{64}$/u) });
    expect(await trustShown(frameOf(place), { seal: shown?.seal ?? "" })).toBe("trusted");
  });

  it("is shown but cannot be trusted if it keeps changing", async () => {
    const { place, context } = changing(Number.POSITIVE_INFINITY);
    const shown = await untrustedIn(context, "native");
    expect(shown).toEqual({ folder: place.workspace, what: ["model: a/3"], seal: "" });
    expect(await trustShown(frameOf(place), { seal: "" })).toBe("changed");
    rmSync(place.files.workspace);
    expect(await trustShown(frameOf(place), { seal: "" })).toBe("changed");
  });
});
