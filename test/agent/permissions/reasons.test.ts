import { describe, expect, it } from "vitest";
import { type DecideRequest, type Decision, decide } from "../../../src/agent/permissions/decide.ts";
import { decideCommand, decidePath, decideTool, decideUrl, WORKSPACE } from "./asking.ts";

const asked = (decision: Decision) =>
  decision.decision === "ask" && { reason: decision.reason, rule: decision.rule, help: decision.help };

/** Decides about a call that names nothing but its tool. */
const withoutSubjects = (
  tool: string,
  reach: DecideRequest["reach"],
  {
    mode = "manual",
    ...rules
  }: { mode?: DecideRequest["mode"]; allow?: string[]; deny?: string[]; ask?: string[] } = {},
) =>
  decide({
    tool,
    reach,
    subjects: [],
    mode,
    rules: { allow: [], ask: [], deny: [], ...rules },
    workspace: WORKSPACE,
    granted: [],
  });

describe("a question", () => {
  it.each<[about: string, decideNow: () => Decision, expected: object]>([
    [
      "the network",
      () => decideUrl("https://example.com/x"),
      {
        reason: { code: "network", url: "https://example.com/x" },
        rule: "WebFetch(domain:example.com)",
        help: "mode",
      },
    ],
    [
      "a file",
      () => decidePath("Write", "src/a.ts"),
      { reason: { code: "mode-asks-files", mode: "manual" }, rule: "Edit(src/**)", help: "mode" },
    ],
    [
      "a protected file",
      () => decidePath("Edit", ".git/config", { mode: "auto" }),
      { reason: { code: "protected-path", name: ".git" }, rule: "Edit(.git/config)", help: "rule" },
    ],
    [
      "a command",
      () => decideCommand("make", { mode: "accept-edits" }),
      { reason: { code: "mode-asks-commands", mode: "accept-edits" }, rule: "Bash(make)", help: "mode" },
    ],
    [
      "a command with a protected file",
      () => decideCommand("make .envrc", { mode: "auto" }),
      { reason: { code: "protected-path", name: ".envrc" }, rule: "Bash(make .envrc)", help: "rule" },
    ],
    [
      "a command with an outside path",
      () => decideCommand("make --to=/etc/a", { mode: "auto" }),
      {
        reason: { code: "outside-workspace", path: "--to=/etc/a" },
        rule: "Bash(make --to=/etc/a)",
        help: "rule",
      },
    ],
    [
      "`cd` to the home folder",
      () => decideCommand("cd -P && make", { mode: "auto" }),
      { reason: { code: "outside-workspace", path: "cd -P" }, rule: "Bash(cd -P && make)", help: "rule" },
    ],
    [
      "an MCP tool",
      () => decideTool("mcp__a__b"),
      { reason: { code: "mcp-tool" }, rule: "mcp__a__b", help: "mode" },
    ],
    [
      "another tool",
      () => withoutSubjects("Skill", "anything"),
      { reason: { code: "mode-asks-tool", mode: "manual", tool: "Skill" }, rule: "Skill", help: "mode" },
    ],
  ])("about %s names its reason and the rule that would allow the call", (_about, decideNow, expected) => {
    expect(asked(decideNow())).toEqual(expected);
  });
});

describe("a rule", () => {
  it("that asks does so only for what it names", () => {
    expect(decidePath("Read", "src/a", { ask: ["Read(lib/**)", "Edit(src/**)", "Bash"] })).toEqual({
      decision: "allow",
    });
    expect(decideUrl("https://a.org/", { ask: ["WebFetch(domain:b.org)"], mode: "auto" })).toEqual({
      decision: "allow",
    });
    expect(decideCommand("make", { ask: ["Bash(npm:*)"], mode: "auto" })).toEqual({ decision: "allow" });
  });

  it("that asks is answered exactly if another rule asks too", () => {
    const ask = ["Bash(npm test:*)", "Bash(*slow*)"];
    expect(decideCommand("npm test slow", { ask })).toMatchObject({ rule: "Bash(npm test slow)" });
    expect(decideCommand("npm test", { ask })).toMatchObject({ rule: "Bash(npm test:*)" });
    const denied = { ask: ["Bash(npm test:*)"], deny: ["Edit(src/**)"] };
    expect(decideCommand("npm test src/a", denied)).toMatchObject({ rule: "Bash(npm test src/a)" });
  });

  it("for a tool alone denies and allows each of its calls", () => {
    expect(decidePath("Read", "a", { deny: ["Read"] })).toMatchObject({ decision: "deny" });
    expect(decidePath("Write", "a", { deny: ["Write"], mode: "auto" })).toMatchObject({ decision: "deny" });
    expect(decidePath("Write", "a", { deny: ["Write(a)"], mode: "auto" })).toMatchObject({
      decision: "deny",
    });
    expect(decidePath("Write", "a", { allow: ["Write"] })).toEqual({ decision: "allow" });
    expect(decidePath("Write", "a", { allow: ["Write(a)"] })).toEqual({ decision: "allow" });
    expect(decideUrl("https://a.org/", { allow: ["WebFetch"] })).toEqual({ decision: "allow" });
    expect(decideUrl("https://a.org/", { deny: ["WebFetch"], mode: "auto" })).toMatchObject({
      decision: "deny",
    });
  });

  it("for hosts denies no other host", () => {
    for (const url of ["https://other.org/", "https://notexample.com/", "nonsense"])
      expect(decideUrl(url, { deny: ["WebFetch(domain:example.com)"], mode: "auto" }), url).toEqual({
        decision: "allow",
      });
  });

  it("with a pattern neither allows nor denies a call that names nothing", () => {
    expect(withoutSubjects("Write", "files", { allow: ["Edit(src/**)"] })).toMatchObject({ decision: "ask" });
    expect(withoutSubjects("Write", "files", { allow: ["Edit"] })).toEqual({ decision: "allow" });
    for (const deny of ["WebFetch(domain:a)", "WebFetch(domain:undefined)"])
      expect(withoutSubjects("WebFetch", "reads", { deny: [deny] })).toEqual({ decision: "allow" });
    expect(withoutSubjects("WebFetch", "reads", { deny: ["WebFetch"] })).toMatchObject({ decision: "deny" });
  });

  it("for everything in the workspace does not allow the system's virtual files if the workspace is the root", () => {
    const read = (path: string, ...allow: string[]) =>
      decide({
        tool: "Read",
        reach: "reads",
        subjects: [{ kind: "path", path, access: "read" }],
        mode: "auto",
        rules: { allow, ask: [], deny: [] },
        workspace: "/",
        granted: [],
        home: "/root",
      }).decision;
    expect(read("/etc/hosts")).toBe("allow");
    expect(read("/proc/1/environ", "Read", "Read(**)", "Read(proc/**)")).toBe("ask");
    expect(read("/proc/1/environ", "Read(//proc/1/**)")).toBe("allow");
  });

  it("that cannot be read is ignored if it was granted", () => {
    expect(decidePath("Edit", "a", { granted: ["Edit(", "Edit(a)"] })).toEqual({ decision: "allow" });
    expect(decidePath("Edit", "a", { granted: ["Edit("] })).toMatchObject({ decision: "ask" });
  });
});
