import { describe, expect, it } from "vitest";
import { type Decision, decide } from "../../../src/agent/permissions/decide.ts";
import type { Rules } from "../../../src/agent/permissions/rules.ts";
import { decideCommand, decidePath, decideTool, decideUrl, WORKSPACE } from "./asking.ts";

const modes = ["plan", "manual", "accept-edits", "auto"] as const;
const inAllModes = (ask: (mode: (typeof modes)[number]) => { decision: string }) =>
  modes.map((mode) => ask(mode).decision);

describe("the mode", () => {
  it("lets files of the workspace be read in every mode", () => {
    expect(inAllModes((mode) => decidePath("Read", "src/a.ts", { mode }))).toEqual([
      "allow",
      "allow",
      "allow",
      "allow",
    ]);
  });

  it("decides whether files of the workspace are changed", () => {
    expect(inAllModes((mode) => decidePath("Write", "src/a.ts", { mode }))).toEqual([
      "deny",
      "ask",
      "allow",
      "allow",
    ]);
  });

  it("says why in a way that holds for every mode that would ask", () => {
    const why = (command: string) => decideCommand(command, { mode: "manual" });
    expect(why("cp a.sh .git/hooks/pre-commit")).toMatchObject({
      decision: "ask",
      why: ".git can make programs run, so changing it needs permission in every mode",
      help: "rule",
    });
    expect(why("npm test")).toMatchObject({ why: "manual mode asks before commands are run", help: "mode" });
  });

  it("decides whether the network and servers are asked", () => {
    expect(inAllModes((mode) => decideUrl("https://example.com/x", { mode }))).toEqual([
      "ask",
      "ask",
      "ask",
      "allow",
    ]);
    expect(inAllModes((mode) => decideTool("mcp__a__b", { mode }))).toEqual(["deny", "ask", "ask", "allow"]);
  });

  it("does not ask about what changes nothing, except where a server says so of itself", () => {
    const about = (tool: string, reach: "nothing" | "reads", mode: (typeof modes)[number]) =>
      decide({
        tool,
        reach,
        subjects: [],
        mode,
        rules: { allow: [], ask: [], deny: [] },
        workspace: "/w",
        granted: [],
      });
    expect(inAllModes((mode) => about("TodoWrite", "nothing", mode))).toEqual([
      "allow",
      "allow",
      "allow",
      "allow",
    ]);
    expect(inAllModes((mode) => about("mcp__a__b", "reads", mode))).toEqual(["ask", "ask", "ask", "allow"]);
  });

  it("asks for no task, whose own calls are asked about, and starts none while planning", () => {
    const task = (mode: (typeof modes)[number], rules: Partial<Rules> = {}) =>
      decide({
        tool: "Task",
        reach: "anything",
        subjects: [{ kind: "tool" }],
        mode,
        rules: { allow: [], ask: [], deny: [], ...rules },
        workspace: WORKSPACE,
        granted: [],
      });
    expect(inAllModes((mode) => task(mode))).toEqual(["deny", "allow", "allow", "allow"]);
    expect(task("auto", { ask: ["Task"] })).toMatchObject({ decision: "ask", rule: "Task" });
    expect(task("auto", { deny: ["Task"] })).toMatchObject({ decision: "deny" });
  });

  it("of planning goes before everything that allows, for every tool that could change something", () => {
    const everything = ["Bash", "Bash(npm test:*)", "Edit", "Write", "Task", "Skill", "mcp__a", "mcp__a__b"];
    for (const given of [
      { allow: everything },
      { granted: everything },
      { allow: everything, ask: everything },
    ]) {
      const planning = { ...given, mode: "plan" } as const;
      for (const command of ["npm test", "npm test -- -u", "touch a", "git status"])
        expect(decideCommand(command, planning)).toMatchObject({ decision: "deny" });
      for (const tool of ["Write", "Edit"])
        expect(decidePath(tool, "src/a.ts", planning)).toMatchObject({ decision: "deny" });
      expect(decideTool("mcp__a__b", planning)).toMatchObject({ decision: "deny" });
    }
  });

  it("of planning takes a server's word for a tool that reads only where a rule names that very tool", () => {
    const tool = (allow: string, mode: "plan" | "manual") =>
      decide({
        tool: "mcp__a__b",
        reach: "reads",
        subjects: [{ kind: "tool" }],
        mode,
        rules: { allow: [allow], ask: [], deny: [] },
        workspace: WORKSPACE,
        granted: [],
      }).decision;
    expect([tool("mcp__a", "manual"), tool("mcp__a", "plan")]).toEqual(["allow", "ask"]);
    expect([tool("mcp__a__b", "manual"), tool("mcp__a__b", "plan")]).toEqual(["allow", "allow"]);
  });

  it("is named when it denies, with a way to allow the call", () => {
    expect(decidePath("Edit", "a.ts", { mode: "plan" })).toEqual({
      decision: "deny",
      reason: { code: "plan-mode" },
      why: "plan mode: nothing may be changed or run until a plan is approved. Explore, then show the plan with ExitPlanMode",
    });
  });
});

describe("a path", () => {
  it("outside the workspace always asks, for reading too", () => {
    for (const path of ["/etc/hosts", "/home/me", "/home/me/project-two/x", "/tmp/x"]) {
      expect(inAllModes((mode) => decidePath("Read", path, { mode }))).toEqual(["ask", "ask", "ask", "ask"]);
      expect(inAllModes((mode) => decidePath("Write", path, { mode }))).toEqual([
        "deny",
        "ask",
        "ask",
        "ask",
      ]);
    }
    expect(decidePath("Read", "/etc/hosts")).toEqual({
      decision: "ask",
      help: "rule",
      reason: { code: "outside-workspace", path: "/etc/hosts" },
      why: "outside the workspace: /etc/hosts",
      rule: "Read(//etc/hosts)",
    });
  });

  it("outside the workspace is allowed only by a rule that names it", () => {
    for (const rule of ["Read(//etc/**)", "Read(//etc/hosts)", "Read(//etc)"]) {
      expect(decidePath("Read", "/etc/hosts", { allow: [rule] })).toEqual({ decision: "allow" });
    }
    for (const rule of ["Read", "Read(**)", "Read(etc/**)", "Write(//etc/**)"]) {
      expect(decidePath("Read", "/etc/hosts", { allow: [rule] })).toMatchObject({ decision: "ask" });
    }
    expect(decidePath("Read", "/home/me/notes/a", { allow: ["Read(~/notes/**)"] })).toEqual({
      decision: "allow",
    });
  });

  it.each([
    ".git/hooks/pre-commit",
    ".GIT/config",
    "sub/.git/config",
    "sub/.Git. /hooks/post-checkout",
    "GIT~1/config",
    ".g\u200cit/config",
    ".git::$INDEX_ALLOCATION/config",
    ".worldline/settings.json",
    ".WorldLine/settings.json",
    ".worldline./settings.json",
    ".worl\u200ddline/settings.json",
    ".envrc",
    ".ENVRC ",
    ".mcp.json",
    ".Mcp.Json.",
  ])("that can run code asks in every mode: %s", (path) => {
    expect(inAllModes((mode) => decidePath("Write", path, { mode }))).toEqual(["deny", "ask", "ask", "ask"]);
    expect(decidePath("Write", path, { allow: ["Edit(**)", "Edit"], mode: "auto" })).toMatchObject({
      decision: "ask",
    });
    expect(decidePath("Read", path)).toEqual({ decision: "allow" });
  });

  it("that can run code is allowed by a rule that names it", () => {
    expect(decidePath("Write", ".git/hooks/x", { allow: ["Edit(.git/hooks/**)"] })).toEqual({
      decision: "allow",
    });
  });

  it("that begins like one of these is as any other", () => {
    expect(decidePath("Write", ".gitignore", { mode: "accept-edits" })).toEqual({ decision: "allow" });
    expect(decidePath("Write", "src/envrc", { mode: "accept-edits" })).toEqual({ decision: "allow" });
  });

  it("is matched with its dot files, from the workspace on", () => {
    expect(decidePath("Write", "src/.x/a", { allow: ["Edit(src/**)"] })).toEqual({ decision: "allow" });
    expect(decidePath("Write", "src/a", { allow: ["Edit(src)"] })).toEqual({ decision: "allow" });
    expect(decidePath("Write", "lib/src/a", { allow: ["Edit(src/**)"] })).toMatchObject({ decision: "ask" });
    expect(decidePath("Write", "srcs/a", { allow: ["Edit(src)"] })).toMatchObject({ decision: "ask" });
    expect(decidePath("Write", "lib/a", { allow: ["Edit(!src/**)"] })).toMatchObject({ decision: "ask" });
  });
});

describe("rules", () => {
  it("that deny come before all others and hold in every mode", () => {
    const deny = ["Read(secrets/**)"];
    const allow = ["Read(secrets/**)", "Read"];
    for (const tool of ["Read", "Glob", "Grep"]) {
      expect(inAllModes((mode) => decidePath(tool, "secrets/key", { mode, allow, deny }))).toEqual(
        modes.map(() => "deny"),
      );
    }
    expect(decidePath("Read", "secrets/key", { deny })).toEqual({
      decision: "deny",
      reason: { code: "denied-by-rule", rule: "Read(secrets/**)" },
      why: "it is denied by the rule Read(secrets/**)",
    });
  });

  it("that ask come before those that allow", () => {
    const given = { ask: ["Edit(src/**)"], allow: ["Edit", "Edit(src/**)"], mode: "auto" } as const;
    expect(decidePath("Edit", "src/x.ts", given)).toEqual({
      decision: "ask",
      help: "none",
      reason: { code: "asked-by-rule", rule: "Edit(src/**)" },
      why: "required by the rule Edit(src/**)",
      rule: "Edit(src/**)",
    });
    expect(decidePath("Edit", "src/x.ts", { ...given, granted: ["Edit(src/**)"] })).toEqual({
      decision: "allow",
    });
  });

  it("that ask are answered for the session by what is granted exactly, and not by more", () => {
    const given = { ask: ["Edit(src/keys.ts)"], mode: "auto" } as const;
    const asked = decidePath("Edit", "src/keys.ts", { ...given, granted: ["Edit(src/**)", "Edit"] });
    expect(asked).toEqual({
      decision: "ask",
      help: "none",
      reason: { code: "asked-by-rule", rule: "Edit(src/keys.ts)" },
      why: "required by the rule Edit(src/keys.ts)",
      rule: "Edit(src/keys.ts)",
    });
    expect(decidePath("Edit", "src/keys.ts", { ...given, granted: ["Edit(src/keys.ts)"] })).toEqual({
      decision: "allow",
    });
    const push = { ask: ["Bash(git push:*)"], mode: "auto" } as const;
    expect(decideCommand("git push origin main", push)).toMatchObject({ rule: "Bash(git push origin main)" });
    const commit = { ask: ["Bash(git commit:*)"], mode: "auto" } as const;
    expect(decideCommand("git commit -m x", commit)).toMatchObject({ rule: "Bash(git commit:*)" });
    expect(decideCommand("git push -f", { ...push, granted: ["Bash(git push:*)"] })).toMatchObject({
      decision: "allow",
    });
    const force = { ...push, ask: ["Bash(git push:*)", "Bash(*-f*)"], granted: ["Bash(git push:*)"] };
    expect(decideCommand("git push -f", force)).toMatchObject({ rule: "Bash(git push -f)" });
    expect(decideCommand("git push -f", { ...force, granted: ["Bash(git push -f)"] })).toEqual({
      decision: "allow",
    });
  });

  it("that ask about a name of spaces are answered by a rule that can be read", () => {
    const asked = decidePath("Read", " ", { ask: ["Read"] });
    expect(asked).toMatchObject({ decision: "ask", rule: "Read(./ )" });
    expect(decidePath("Read", " ", { ask: ["Read"], granted: ["Read(./ )"] })).toEqual({ decision: "allow" });
    expect(decidePath("Read", "a", { ask: ["Read"], granted: ["Read(./ )"] })).toMatchObject({
      decision: "ask",
    });
  });

  it("that deny what a command perhaps does are answered for that command alone", () => {
    const given = { deny: ["Edit(src/**)"], mode: "auto" } as const;
    expect(decideCommand("make src/x", given)).toMatchObject({ rule: "Bash(make src/x)" });
    expect(decideCommand("make src/x", { ...given, granted: ["Bash(make src/x)"] })).toEqual({
      decision: "allow",
    });
    const wider = ["Edit(src/**)", "Bash(make:*)", "Bash"];
    expect(decideCommand("make src/x", { ...given, granted: wider })).toMatchObject({ decision: "ask" });
  });

  it("given for the session allow as others do", () => {
    expect(decidePath("Edit", "src/x.ts", { granted: ["Edit(src/**)"] })).toEqual({ decision: "allow" });
  });

  it("for Edit apply to Write too, but not vice versa", () => {
    expect(decidePath("Write", "a", { deny: ["Edit(a)"] })).toMatchObject({ decision: "deny" });
    expect(decidePath("Edit", "a", { deny: ["Write(a)"], mode: "auto" })).toEqual({ decision: "allow" });
  });

  it("for domains allow that name alone, and deny what is below it too", () => {
    const rule = ["WebFetch(domain:example.com)"];
    expect(decideUrl("https://example.com/x", { allow: rule })).toEqual({ decision: "allow" });
    expect(decideUrl("https://EXAMPLE.com./x", { allow: rule })).toEqual({ decision: "allow" });
    expect(decideUrl("https://a.example.com/x", { allow: rule })).toMatchObject({ decision: "ask" });
    expect(decideUrl("https://example.com.evil.org/", { allow: rule })).toMatchObject({ decision: "ask" });
    expect(decideUrl("https://example.com@evil.org/", { allow: rule })).toMatchObject({ decision: "ask" });
    expect(decideUrl("https://a.example.com/x", { deny: rule, mode: "auto" })).toMatchObject({
      decision: "deny",
    });
    expect(decideUrl("https://a.example.com/", { allow: ["WebFetch(domain:*.example.com)"] })).toEqual({
      decision: "allow",
    });
  });

  it("for a server are for all its tools, and not for those of one that begins alike", () => {
    expect(decideTool("mcp__files__read", { allow: ["mcp__files"] })).toEqual({ decision: "allow" });
    expect(decideTool("mcp__files__read", { allow: ["mcp__files__read"] })).toEqual({ decision: "allow" });
    expect(decideTool("mcp__files2__read", { allow: ["mcp__files"] })).toMatchObject({ decision: "ask" });
    expect(decideTool("mcp__files__read", { deny: ["mcp__files"], mode: "auto" })).toMatchObject({
      decision: "deny",
    });
  });

  it("hold for each of several subjects", () => {
    const subjects = ["src/a", "lib/b"].map(
      (path) => ({ kind: "path", path: `${WORKSPACE}/${path}`, access: "write" }) as const,
    );
    const request = {
      tool: "Edit",
      reach: "files",
      subjects,
      mode: "manual",
      workspace: WORKSPACE,
      granted: [],
    } as const;
    expect(decide({ ...request, rules: { allow: ["Edit(src/**)"], ask: [], deny: [] } })).toMatchObject({
      decision: "ask",
      rule: "Edit(lib/**)",
    });
    expect(decide({ ...request, rules: { allow: ["Edit"], ask: [], deny: ["Edit(lib/b)"] } })).toMatchObject({
      decision: "deny",
    });
  });
});

describe("a question", () => {
  const helpOf = (decision: Decision): unknown => decision.decision === "ask" && decision.help;

  it("says whether a mode would help, a rule alone, or neither", () => {
    expect(helpOf(decideCommand("make"))).toBe("mode");
    expect(helpOf(decidePath("Write", "src/a.ts"))).toBe("mode");
    expect(helpOf(decideUrl("https://example.org/"))).toBe("mode");
    expect(helpOf(decideTool("mcp__files__read"))).toBe("mode");
    expect(helpOf(decidePath("Write", "/etc/hosts"))).toBe("rule");
    expect(helpOf(decidePath("Write", ".git/hooks/pre-commit", { mode: "auto" }))).toBe("rule");
    expect(helpOf(decideCommand("cat /etc/shadow > x"))).toBe("rule");
    expect(helpOf(decideCommand("make", { ask: ["Bash(make)"] }))).toBe("none");
  });
});
