import { describe, expect, it } from "vitest";
import { decide } from "../../../src/agent/permissions/decide.ts";
import type { Rules, Subject } from "../../../src/agent/permissions/rules.ts";
import { planned, WORKSPACE } from "./asking.ts";

describe("a link that a command names", () => {
  const about = (given: Partial<Rules> & { granted?: readonly string[] }, place: string) =>
    decide({
      tool: "Bash",
      reach: "anything",
      subjects: [
        { kind: "path", path: place, access: "read" },
        { kind: "command", command: "cat link" },
      ],
      mode: "auto",
      rules: { allow: [], ask: [], deny: [], ...given },
      workspace: WORKSPACE,
      granted: given.granted ?? [],
    });

  it("asks where it leads out of the workspace, also for what only looks", () => {
    expect(about({ allow: ["Bash", "Read"] }, "/etc/passwd")).toEqual({
      decision: "ask",
      help: "rule",
      reason: { code: "outside-workspace", path: "/etc/passwd" },
      why: "outside the workspace: /etc/passwd",
      rule: "Bash(cat link)",
    });
    expect(about({ granted: ["Bash(cat link)"] }, "/etc/passwd")).toEqual({ decision: "allow" });
    expect(about({ allow: ["Read(//etc/**)"] }, "/etc/passwd")).toEqual({ decision: "allow" });
  });

  it("is denied where it leads to what may not be read", () => {
    expect(about({ deny: ["Read(secrets/**)"] }, `${WORKSPACE}/secrets/key`)).toEqual({
      decision: "deny",
      reason: { code: "denied-by-rule", rule: "Read(secrets/**)" },
      why: "it is denied by the rule Read(secrets/**)",
    });
    expect(about({ deny: ["Read(secrets/**)"] }, `${WORKSPACE}/src/a`)).toEqual({ decision: "allow" });
  });
});

describe("a link that a command writes to", () => {
  const about = (
    path: string,
    {
      command = "make link",
      access = "write",
      mode = "auto",
      ...rules
    }: Partial<Rules> & {
      command?: string;
      access?: "read" | "write";
      mode?: "manual" | "auto";
    },
  ) =>
    decide({
      tool: "Bash",
      reach: "anything",
      subjects: [
        { kind: "path", path, access },
        { kind: "command", command, ...planned(command) },
      ],
      mode,
      rules: { allow: [], ask: [], deny: [], ...rules },
      workspace: WORKSPACE,
      granted: [],
      home: "/home/me",
    });
  const secret = `${WORKSPACE}/secrets/key`;

  it("is denied by rules for reading and for editing its target, if the rules name paths", () => {
    for (const rule of ["Read(secrets/**)", "Edit(secrets/**)"])
      expect(about(secret, { deny: [rule] }), rule).toMatchObject({ decision: "deny", reason: { rule } });
    for (const rule of ["Write(secrets/**)", "Glob(secrets/**)", "Read", "Edit", "WebFetch(domain:a)"])
      expect(about(secret, { deny: [rule] }), rule).toEqual({ decision: "allow" });
    expect(about(secret, { deny: ["Edit(secrets/**)"], access: "read" })).toEqual({ decision: "allow" });
  });

  it("is allowed by a rule for editing its target", () => {
    expect(about("/etc/a", { allow: ["Edit(//etc/**)"] })).toEqual({ decision: "allow" });
    for (const rule of ["Read(//etc/**)", "Write(//etc/**)", "Edit", "Edit(**)", "Bash"])
      expect(about("/etc/a", { allow: [rule] }), rule).toMatchObject({
        decision: "ask",
        reason: { code: "outside-workspace", path: "/etc/a" },
        rule: "Bash(make link)",
      });
    expect(about("/etc/a", { allow: ["Edit(//etc/**)"], access: "read" })).toMatchObject({ decision: "ask" });
  });

  it("is allowed by a rule for exactly this command, and by no wider one", () => {
    expect(about("/etc/a", { allow: ["Bash(make link)"] })).toEqual({ decision: "allow" });
    expect(about("/etc/a", { allow: ["Bash(make link:*)"] })).toMatchObject({ decision: "ask" });
    expect(about(`${WORKSPACE}/.envrc`, { allow: ["Edit", "Bash(make:*)"] })).toMatchObject({
      decision: "ask",
      reason: { code: "protected-path", name: ".envrc" },
      rule: "Bash(make link)",
    });
  });

  it("is not asked about apart from its command if its target is in the workspace", () => {
    expect(about(`${WORKSPACE}/a`, { command: "make a", mode: "manual", allow: ["Bash(make:*)"] })).toEqual({
      decision: "allow",
      ...planned("make a"),
    });
    expect(about(`${WORKSPACE}/a`, { command: "make a", mode: "manual" })).toMatchObject({
      decision: "ask",
      reason: { code: "mode-asks-commands", mode: "manual" },
    });
  });
});

describe("a command", () => {
  const look = { kind: "command", command: "ls", ...planned("ls") } as const;
  const onSubjects = (tool: string, subjects: readonly Subject[], deny: readonly string[] = []) =>
    decide({
      tool,
      reach: "anything",
      subjects,
      mode: "auto",
      rules: { allow: [], ask: [], deny },
      workspace: WORKSPACE,
      granted: [],
      home: "/home/me",
    });

  it("is planned only if it is the only command of Bash", () => {
    expect(look.plan).toBeDefined();
    expect(onSubjects("Bash", [look])).toEqual({ decision: "allow", plan: look.plan });
    expect(onSubjects("Bash", [look, look])).toEqual({ decision: "allow" });
    expect(onSubjects("Bash", [{ kind: "path", path: `${WORKSPACE}/a`, access: "read" }])).toEqual({
      decision: "allow",
    });
    expect(onSubjects("mcp__a__b", [look])).toEqual({ decision: "allow" });
  });

  it("is not subject to rules for Bash if another tool runs the command", () => {
    expect(onSubjects("mcp__a__b", [look], ["Bash", "Bash(ls)"])).toEqual({ decision: "allow" });
    expect(onSubjects("mcp__a__b", [look], ["mcp__a"])).toMatchObject({ decision: "deny" });
  });
});
