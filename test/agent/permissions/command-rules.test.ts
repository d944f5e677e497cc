import { describe, expect, it } from "vitest";
import {
  allowsCommand,
  outsideOf,
  protectedOf,
  seeCommand,
  strengthOf,
} from "../../../src/agent/permissions/commands.ts";
import { requireRule } from "../../../src/agent/permissions/rules.ts";
import { type Circumstances, decideCommand, planned, WORKSPACE } from "./asking.ts";

const pathContext = { workspace: WORKSPACE, home: "/home/me" };
const seen = (command: string) => seeCommand(command, planned(command).plan);
const allowance = (command: string, ...rules: string[]) =>
  allowsCommand(rules.map(requireRule), seen(command), { pathContext, paths: "open" });
const decisions = (commands: readonly string[], given: Circumstances) =>
  commands.map((command) => [command, decideCommand(command, given).decision]);
const all = (commands: readonly string[], decision: string) => commands.map((command) => [command, decision]);

describe("a command line", () => {
  it("is allowed as given, or only as planned", () => {
    expect(allowance("npm test", "Bash(npm test)")).toBe("as given");
    expect(allowance("npm test > x", "Bash(npm test > x)")).toBe("as given");
    expect(allowance("npm test x", "Bash(npm test:*)")).toBe("as planned");
    expect(allowance("ls && npm test x", "Bash(npm test:*)")).toBe("as planned");
    expect(allowance("npm test *.ts > x", "Bash")).toBe("as given");
    expect(allowance("make", "Bash(npm test)")).toBeUndefined();
  });

  it("is not allowed by rules for other tools", () => {
    expect(allowance("npm test > x", "Edit", "Task", "mcp__a")).toBeUndefined();
    expect(allowance("npm test", "Edit", "Read(npm)")).toBeUndefined();
  });

  it("is not allowed by a rule for all commands if it names a protected or outside path", () => {
    const commands = [
      "cp x .git/hooks/pre-commit",
      "echo x > .envrc",
      "make > /etc/x",
      "make ~other",
      "rm -r .git",
    ];
    expect(decisions(commands, { allow: ["Bash"] })).toEqual(all(commands, "ask"));
    expect(decideCommand("make > x", { allow: ["Bash"] })).toEqual({ decision: "allow" });
  });

  it("is not allowed by a rule for some commands if it has too many commands to read", () => {
    for (const allow of [["Bash"], ["Bash(sudo:*)"], ["Bash(sudo *)"]])
      expect(decideCommand(`sudo ${"bash ".repeat(200)}`, { allow, mode: "auto" })).toMatchObject({
        decision: "ask",
        reason: { code: "too-many-commands" },
      });
    const command = `sudo ${"bash ".repeat(200).trim()}`;
    expect(decideCommand(command, { allow: [`Bash(${command})`] })).toEqual({ decision: "allow" });
  });

  it("that looks at protected paths is not asked about, even if only a shell understands it", () => {
    const looking = [
      "(cat .git/config)",
      "(cat .git/config > /dev/null)",
      "(git log -- .envrc)",
      "cat .git/config &",
    ];
    expect(decisions(looking, { mode: "auto" })).toEqual(all(looking, "allow"));
    const changing = [
      "(cat .git/config > .envrc)",
      "cat .git/config $X",
      "cat $X .git/config",
      "(make .envrc)",
    ];
    expect(decisions(changing, { mode: "auto" })).toEqual(all(changing, "ask"));
    expect(decideCommand("cat .git/config")).toMatchObject({ decision: "allow" });
  });

  it("names its first outside path and its protected part", () => {
    expect(outsideOf(pathContext, seen("ls a ~other ../b"))).toEqual({ word: "~other", piece: "~other" });
    expect(outsideOf(pathContext, seen("ls a"))).toBeUndefined();
    expect(protectedOf(pathContext, seen("rm ~other a .envrc .git/x"))).toBe(".envrc");
    expect(protectedOf(pathContext, seen("rm ~other a"))).toBeUndefined();
    expect(protectedOf(pathContext, seen("cat .envrc"))).toBeUndefined();
  });
});

describe("a rule that denies paths", () => {
  it("denies a command that redirects to the path, and otherwise asks if the command may change it", () => {
    const strength = (rule: string, command: string) =>
      strengthOf(requireRule(rule), seen(command), pathContext);
    for (const tool of ["Edit", "Write"]) {
      expect(strength(`${tool}(src/**)`, "make src/x")).toBe("ask");
      expect(strength(`${tool}(src/**)`, "make > src/x")).toBe("deny");
      expect(strength(`${tool}(src/**)`, "make src/x > out.txt")).toBe("ask");
      expect(strength(`${tool}(src/**)`, "make src/x > ~other/f")).toBe("ask");
      expect(strength(`${tool}(src/**)`, "make src/x > out.txt 2> src/y")).toBe("deny");
      expect(strength(`${tool}(**)`, "make x")).toBe("ask");
    }
    expect(strength("Read(src/**)", "make src/x")).toBe("deny");
    expect(strength("Bash(make:*)", "make src/x")).toBe("deny");
  });

  it("is about the paths that the command names, and not about its own program", () => {
    const deny = ["Edit(**)"];
    expect(decideCommand("/usr/bin/make", { deny, mode: "auto" })).toEqual({ decision: "allow" });
    expect(decideCommand("/usr/bin/make a", { deny, mode: "auto" })).toMatchObject({ decision: "ask" });
    expect(decideCommand("cat a", { deny, mode: "auto" })).toMatchObject({ decision: "allow" });
  });

  it.each([
    ["Write(lock/**)", "echo x > lock/a", "deny"],
    ["Write(lock/**)", "make lock/a", "ask"],
    ["Read(lock/**)", "make lock/a", "deny"],
    ["Glob(lock/**)", "make lock/a", "allow"],
    ["Grep(lock/**)", "make lock/a", "allow"],
    ["Edit(lock/**)", "make ~/project/lock/a", "ask"],
    ["Edit(lock/**)", "make a", "allow"],
  ])("%s decides %j: %s", (rule, command, decision) => {
    expect(decideCommand(command, { deny: [rule], mode: "auto" }).decision).toBe(decision);
  });

  it("does not depend on a path that is unknown", () => {
    expect(decideCommand("rm ~other", { deny: ["Edit(lock/**)"], mode: "auto" })).toMatchObject({
      decision: "ask",
      reason: { code: "outside-workspace", path: "~other" },
    });
  });
});

describe("rules for other tools", () => {
  it("do not deny commands", () => {
    for (const rule of ["WebFetch", "WebFetch(domain:a)", "Task", "mcp__a", "Edit", "Write"])
      expect(decideCommand("make a", { deny: [rule], mode: "auto" }), rule).toEqual({ decision: "allow" });
    for (const command of ["make a", "", "# a", "> x"])
      expect(decideCommand(command, { deny: ["Bash"], mode: "auto" }), command).toMatchObject({
        decision: "deny",
      });
  });
});

describe("a rule for commands with an outside or protected path", () => {
  it("must name the path", () => {
    const allowed = (command: string, rule: string) =>
      decideCommand(command, { allow: [rule] }).decision === "allow";
    expect(allowed("cat /etc/passwd", "Bash(cat /etc/passwd)")).toBe(true);
    expect(allowed("cat /etc/passwd", "Bash(cat /etc/*)")).toBe(true);
    expect(allowed("cat /etc/passwd", "Bash(cat  /etc/*)")).toBe(true);
    expect(allowed("make /etc/a /etc/b", "Bash(make /etc/* /etc/b)")).toBe(true);
    for (const rule of ["cat:*", "cat *", "cat **", "cat *passwd", "cat /home/* *", "*", "cat p* *"])
      expect(allowed("cat /etc/passwd", `Bash(${rule})`), rule).toBe(false);
    expect(allowed("cat '~other'", "Bash(cat ~other)")).toBe(true);
    expect(allowed("cat '~other'", "Bash(cat *other)")).toBe(false);
    expect(allowed("cp x .envrc", "Bash(cp x .envrc)")).toBe(true);
    expect(allowed("cp x .envrc", "Bash(cp * .envrc)")).toBe(true);
    expect(allowed("cp x .git/hooks/a", "Bash(cp * .git/*)")).toBe(true);
    for (const rule of ["cp:*", "cp x *", "cp * *rc", "cp x .e*", "cp .* *"])
      expect(allowed("cp x .envrc", `Bash(${rule})`), rule).toBe(false);
  });

  it("names a path as one word", () => {
    const command = "cat /var/log/x '/var/log/x y' /var/log/zx";
    expect(decideCommand(command, { allow: ["Bash(cat /var/log/*x)"] })).toMatchObject({ decision: "ask" });
    expect(decideCommand(command, { allow: ["Bash(cat /var/log/*)"] })).toMatchObject({ decision: "allow" });
  });

  it("must name a link that leads out of the workspace, or the folder that it is in", () => {
    const allowed = (command: string, rule: string) => allowance(command, `Bash(${rule})`);
    for (const [command, rule] of [
      ["make link", "make link"],
      ["make link x", "make link *"],
      ["make link x", "make link:*"],
      ["make src/link", "make src/*"],
      ["make src/link", "make src/l*k"],
      ["make src/link /etc/a", "make src/* /etc/a"],
    ] as const)
      expect(allowed(command, rule), rule).toBeDefined();
    for (const [command, rule] of [
      ["make link", "make:*"],
      ["make link", "make *"],
      ["make link", "make l*"],
      ["make link", "make *ink"],
      ["make link", "make li\\*nk"],
      ["make src/a link", "make src/* *"],
      ["make src/a link", "make src/a *"],
      ["make src/link", "make *src/link"],
      ["make 'src/x link' src/x", "make src/*x"],
    ] as const)
      expect(allowed(command, rule), rule).toBeUndefined();
  });

  it("is needed even for a program that only looks", () => {
    expect(allowance("cat a")).toBe("as planned");
    expect(allowance("cat link")).toBeUndefined();
    expect(allowance("cat /etc/passwd")).toBeUndefined();
    expect(allowance("cat /etc/passwd ~other", "Bash(cat /etc/passwd)")).toBeUndefined();
  });
});
