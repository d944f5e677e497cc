import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wildcardMatcher } from "../../../src/agent/permissions/matching.ts";
import { parseRule } from "../../../src/agent/permissions/rules.ts";
import { everyCommand } from "../../../src/agent/permissions/shell/every-command.ts";
import { rules } from "../../../src/app/settings/kinds.ts";
import { decideCommand, decidePath } from "./asking.ts";

const ruleFor = (command: string): string => {
  const decision = decideCommand(command, { ask: ["Bash"] });
  return decision.decision === "ask" ? decision.rule : "";
};
const usual = (command: string): string => {
  const decision = decideCommand(command);
  return decision.decision === "ask" ? decision.rule : "";
};

describe("a rule that is suggested", () => {
  it("is one rule, for exactly the command that was asked about", () => {
    expect(ruleFor("echo x), Bash, Edit(y")).toBe("Bash(echo x\\)\\, Bash\\, Edit\\(y)");
    expect(ruleFor("a\nb\\*")).toBe("Bash(a\\nb\\\\\\*)");
  });

  it("law: it reads back as itself, alone and in a list, and allows that command and no other", () => {
    const odd = fc.array(
      fc.constantFrom(..."( ) , \\ * \\* \\n \n : :* ' \" ) Bash( x Edit a b".split(" "), "\n", " "),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    const command = fc
      .oneof(
        odd.map((all) => all.join("")),
        fc.string(),
      )
      .filter((text) => text.trim() !== "");
    fc.assert(
      fc.property(command, fc.string({ minLength: 1, maxLength: 3 }), (text, more) => {
        const rule = ruleFor(text);
        expect(parseRule(rule)).toHaveProperty("rule");
        expect(rules.fromText(`${rule}, Read(a)`)).toEqual([rule, "Read(a)"]);
        expect(decideCommand(text, { ask: ["Bash"], granted: [rule] })).toMatchObject({ decision: "allow" });
        const other = text + more;
        if (other.trim() !== text.trim())
          expect(decideCommand(other, { ask: ["Bash"], granted: [rule] })).toMatchObject({ decision: "ask" });
      }),
    );
  });

  it.each([
    "npm x cowsay",
    "npm exec cowsay",
    "npx cowsay",
    "bun x cowsay",
    "bunx cowsay",
    "bun run x.ts",
    "uv run x",
    "uvx x",
    "pnpm dlx x",
    "yarn dlx x",
    "git config core.fsmonitor x",
    "git push origin main",
    "git submodule foreach x",
    "git rebase --exec x",
    "find . -exec x",
    "make all",
    "python -c x",
    "go run x",
    "deno run x",
    "npm install x",
    "cd src && npm test",
    "npm test && npm run x",
  ])("is never wider than what was shown: %j", (command) => {
    expect(usual(command)).toBe(`Bash(${command})`);
  });

  it("is for other arguments too where that is the project's own script, or git's", () => {
    expect(["npm test -- x", "npm run lint x", "git commit -m x", "cargo test x"].map(usual)).toEqual([
      "Bash(npm test:*)",
      "Bash(npm run lint:*)",
      "Bash(git commit:*)",
      "Bash(cargo test:*)",
    ]);
  });
});

describe("patterns of strangers", () => {
  it("are matched in a time that does not explode", () => {
    const started = performance.now();
    const deny = [
      `Bash(${"*a".repeat(2_000)}*b)`,
      `Read(${"*a".repeat(1_000)}*b)`,
      `Read(${"**/a/".repeat(200)}b)`,
    ];
    expect(decideCommand(`echo ${"a".repeat(6_000)}`, { deny }).decision).not.toBe("deny");
    expect(decidePath("Read", "a".repeat(4_000), { deny }).decision).toBe("allow");
    expect(decidePath("Read", "a/".repeat(1_000), { deny }).decision).toBe("allow");
    for (const count of [78, 118, 2_000]) everyCommand(`sudo ${"bash ".repeat(count)}`);
    everyCommand(`${"sudo bash -c '".repeat(200)}`);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("read the patterns of a workspace's rules once for all paths that a line of thousands of words names", () => {
    const deny = [
      `Read(**/${"{a,b}".repeat(7)}**)`,
      `Edit(${"**/".repeat(60)}x)`,
      `Read(${"*a".repeat(80)}b)`,
    ];
    const lines = [`${"xargs ".repeat(1_300)}a`, "sudo bash ".repeat(9_000)];
    const started = performance.now();
    for (const command of lines) expect(decideCommand(command, { deny }).decision).toBe("ask");
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("mean what they say", () => {
    const met = (pattern: string, line: string, match: "whole" | "prefix" = "whole") =>
      wildcardMatcher(pattern, match)(line);
    expect([met("git * main", "git push x main"), met("git * main", "git main"), met("a*", "a")]).toEqual([
      true,
      false,
      true,
    ]);
    expect([met("*a*b", "xaxb"), met("*a*b", "xbxa"), met("aba*ba", "aba")]).toEqual([true, false, false]);
    expect([met("a *b", "a xb c", "prefix"), met("a *b", "a xbc", "prefix")]).toEqual([true, false]);
  });

  it.each([
    ["Read(+(a|b))", { reason: "rule-glob-extended", params: {} }],
    ["Read({1..3})", { reason: "rule-glob-range", params: {} }],
    [`Read(${"{a,b}".repeat(9)})`, { reason: "rule-glob-alternatives", params: { most: 256 } }],
  ])("are refused where they cannot be matched so: %s", (rule, problem) => {
    expect(parseRule(rule)).toEqual({ problem });
  });
});
