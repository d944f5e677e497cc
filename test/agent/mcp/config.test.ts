import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expandServer, parseMcpConfig, passedOn, readMcpConfig } from "../../../src/agent/mcp/config.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";

const parse = (text: string) => parseMcpConfig("/w/.mcp.json", text);

describe("a .mcp.json", () => {
  it("names programs and addresses", () => {
    const text = `{
      // mine
      "mcpServers": {
        "files": { "command": "npx", "args": ["-y", "files"], "env": { "A": "1" }, "disabledTools": [] },
        "bare": { "type": "stdio", "command": "run" },
        "far": { "type": "http", "url": "https://example.org/mcp", "headers": { "X": "y" } },
      },
    }`;
    expect(parse(text).servers).toEqual([
      { name: "files", kind: "stdio", command: "npx", args: ["-y", "files"], env: { A: "1" } },
      { name: "bare", kind: "stdio", command: "run", args: [], env: {} },
      { name: "far", kind: "http", url: "https://example.org/mcp", headers: { X: "y" } },
    ]);
    expect(parse("{}").servers).toEqual([]);
  });

  it.each([
    ['{\n  "mcpServers": {,}\n}', "2:18: this is not JSON."],
    ["[]", "1:1: expected an object in { }."],
    ["", "1:1: this is not JSON."],
    ['{"mcpServers": []}', "1:16: expected mcpServers to be an object in { }."],
    ['{"mcpServers": {"a": 5}}', "1:22: the server a: Invalid input: expected object, received number."],
    [
      '{"mcpServers": {\n"a": {"command": 5}}}',
      "2:18: the server a: Invalid input: expected string, received number at command.",
    ],
    [
      '{"mcpServers": {"a": {"args": []}}}',
      "1:22: the server a: Invalid input: expected string, received undefined at command.",
    ],
    [
      '{"mcpServers": {"a": {"url": "x", "headers": {"b": 1}}}}',
      "1:52: the server a: Invalid input: expected string, received number at headers.b.",
    ],
  ])("cannot be %j", (text, message) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ code: "SETTINGS_INVALID", message: `/w/.mcp.json:${message}` }),
    );
  });

  it("may be missing, and says when it cannot be read", () =>
    inTempFolder(async (folder) => {
      expect(await readMcpConfig(folder)).toBeUndefined();
      const file = join(folder, ".mcp.json");
      writeFileSync(file, '\ufeff{"mcpServers": {"a": {"command": "b"}}}');
      expect(await readMcpConfig(folder)).toMatchObject({ file, servers: [{ name: "a" }] });
      const other = join(folder, "other");
      mkdirSync(join(other, ".mcp.json"), { recursive: true });
      await expect(readMcpConfig(other)).rejects.toMatchObject({ code: "SETTINGS_INVALID" });
    }));
});

describe("variables of a server", () => {
  const place = (text: string) => ({ name: "a", kind: "http", url: text, headers: { key: text } }) as const;

  it.each([
    ["http://\u0024{HOST}/x", "http://example.org/x"],
    ["\u0024{PORT:-80}", "80"],
    ["\u0024{HOST:-other}", "example.org"],
    ["\u0024{EMPTY:-other}", "other"],
    ["\u0024{NONE:-}", ""],
    ["$HOST", "$HOST"],
  ])("in %j become %j", (text, result) => {
    const environment = { HOST: "example.org", EMPTY: "" };
    expect(expandServer(place(text), environment)).toEqual({ server: place(result) });
  });

  it("that are not set are named", () => {
    expect(expandServer(place("\u0024{A}\u0024{B:-b}\u0024{C}"), {})).toEqual({ missing: ["A", "C"] });
  });

  it("of ours are passed on where programs need them, and keys are not", () => {
    const environment = {
      PATH: "/bin",
      HOME: "/h",
      ANTHROPIC_API_KEY: "k",
      OPENAI_API_KEY: "k",
      MY_TOKEN: "k",
    };
    expect(passedOn(environment)).toEqual({ PATH: "/bin", HOME: "/h" });
  });
});
