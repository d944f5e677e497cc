import { describe, expect, it } from "vitest";
import { parseRule, requireRule } from "../../../src/agent/permissions/rules.ts";
import { englishText } from "../../../src/record/error.ts";

describe("a permission rule", () => {
  it.each([
    ["Bash", "Bash", { kind: "any" }],
    [" Bash(npm test) ", "Bash", { kind: "command", match: "whole", text: "npm test" }],
    ["Bash( npm test )", "Bash", { kind: "command", match: "whole", text: "npm test" }],
    ["Bash(npm test :*)", "Bash", { kind: "command", match: "prefix", text: "npm test" }],
    ["Bash(npm test:*)", "Bash", { kind: "command", match: "prefix", text: "npm test" }],
    ["Bash(git * main)", "Bash", { kind: "command", match: "whole", text: "git * main" }],
    ["Bash(echo (a))", "Bash", { kind: "command", match: "whole", text: "echo (a)" }],
    ["Edit(src/**)", "Edit", { kind: "path", from: "workspace", glob: "src/**" }],
    ["Edit(./src/)", "Edit", { kind: "path", from: "workspace", glob: "src" }],
    ["Edit(././src//)", "Edit", { kind: "path", from: "workspace", glob: "src" }],
    ["Edit(a./b)", "Edit", { kind: "path", from: "workspace", glob: "a./b" }],
    ["Edit(.)", "Edit", { kind: "path", from: "workspace", glob: "**" }],
    ["Edit(./)", "Edit", { kind: "path", from: "workspace", glob: "**" }],
    ["Read(~)", "Read", { kind: "path", from: "home", glob: "**" }],
    ["Read(~a)", "Read", { kind: "path", from: "workspace", glob: "~a" }],
    ["Read(//)", "Read", { kind: "path", from: "root", glob: "**" }],
    ["Read(~/notes/**)", "Read", { kind: "path", from: "home", glob: "notes/**" }],
    ["Write(//etc/**)", "Write", { kind: "path", from: "root", glob: "etc/**" }],
    ["WebFetch(domain:Example.com)", "WebFetch", { kind: "domain", domain: "example.com" }],
    ["WebFetch( domain:localhost )", "WebFetch", { kind: "domain", domain: "localhost" }],
    ["WebFetch(domain:*.a.b.com)", "WebFetch", { kind: "domain", domain: "*.a.b.com" }],
    ["WebFetch(domain:[::1])", "WebFetch", { kind: "domain", domain: "[::1]" }],
    ["mcp__files", "mcp__files", { kind: "any" }],
    ["mcp__files__*", "mcp__files", { kind: "any" }],
    ["mcp__files__read", "mcp__files__read", { kind: "any" }],
  ])("may be %j", (text, tool, pattern) => {
    expect(parseRule(text)).toEqual({ rule: { text: text.trim(), tool, pattern } });
  });

  it.each([
    ["", "it is empty"],
    ["bash(ls)", 'there is no tool "bash"; write Bash'],
    ["rm -rf", '"rm -rf" is not a valid tool name; write Tool or Tool(pattern)'],
    ["mcp__a__*b", '"mcp__a__*b" is not a valid tool name; write Tool or Tool(pattern)'],
    ["Bash(ls", "it does not end with a closing parenthesis"],
    ["Bash(ls) x", "it does not end with a closing parenthesis"],
    ["Bash( )", "its parentheses are empty; write Bash to match every use"],
    ["Bash(:*)", "there is nothing before :*; write Bash to match all commands"],
    ["Read(/etc/hosts)", "write //etc/hosts for an absolute path, or etc/hosts for one in the workspace"],
    ["Read(../x)", "paths with .. are not supported; write //absolute/path, ~/path, or path"],
    ["WebFetch(example.com)", "a WebFetch pattern must be domain:example.com or domain:*.example.com"],
    [
      "WebFetch(x domain:example.com)",
      "a WebFetch pattern must be domain:example.com or domain:*.example.com",
    ],
    [
      "WebFetch(domain:example.com/x)",
      "a WebFetch pattern must be domain:example.com or domain:*.example.com",
    ],
    [
      "TodoWrite(x)",
      "TodoWrite does not take a pattern; only these tools do: Bash, Read, Edit, Write, Glob, Grep, WebFetch",
    ],
    [
      "mcp__a(b)",
      "mcp__a does not take a pattern; only these tools do: Bash, Read, Edit, Write, Glob, Grep, WebFetch",
    ],
    ["mcp__", "it does not name a server; write mcp__server or mcp__server__tool"],
  ])("cannot be %j", (text, problem) => {
    const parsed = parseRule(text);
    expect("problem" in parsed ? englishText(parsed.problem) : parsed).toBe(problem);
    expect(() => requireRule(text)).toThrow(
      expect.objectContaining({ code: "SETTINGS_INVALID", message: expect.stringContaining(problem) }),
    );
  });

  it("may have a pattern of 4,096 characters for a path, and of any length for a command", () => {
    expect(parseRule(`Read(${"a".repeat(4_096)})`)).toHaveProperty("rule");
    expect(parseRule(`Read(${"a".repeat(4_097)})`)).toEqual({
      problem: { reason: "rule-pattern-long", params: { most: 4_096 } },
    });
    expect(parseRule(`Bash(${"a".repeat(4_097)})`)).toHaveProperty("rule");
  });
});
