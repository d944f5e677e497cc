import { describe, expect, it } from "vitest";
import {
  hiddenFrom,
  isAbout,
  isExactly,
  matchesPath,
  matchesUrl,
  wildcardMatcher,
} from "../../../src/agent/permissions/matching.ts";
import { requireRule } from "../../../src/agent/permissions/rules.ts";
import { decideCommand, WORKSPACE } from "./asking.ts";

const HOME = "/home/me";
const pathContext = { workspace: WORKSPACE, home: HOME };

/** Returns those of the paths that the rule's pattern matches. */
const matched = (rule: string, paths: readonly string[]) =>
  paths.filter((path) => matchesPath(requireRule(rule).pattern, path, pathContext));

describe("a rule for paths", () => {
  const paths = [
    "/",
    "/home",
    HOME,
    "/home/me2/a",
    `${HOME}/notes/a`,
    `${HOME}/project2/a`,
    WORKSPACE,
    `${WORKSPACE}/a`,
    `${WORKSPACE}/..a`,
    `${WORKSPACE}/src`,
    `${WORKSPACE}/src/b`,
    `${WORKSPACE}/srcs/b`,
    `${WORKSPACE}/src/sub/b`,
  ];
  const inWorkspace = paths.filter((path) => path.startsWith(`${WORKSPACE}/`));

  it.each<[rule: string, expected: readonly string[]]>([
    ["Read", paths],
    ["Read(**)", [WORKSPACE, ...inWorkspace]],
    ["Read(*)", [WORKSPACE, ...inWorkspace]],
    ["Read(.)", [WORKSPACE, ...inWorkspace]],
    ["Read(**/*)", inWorkspace],
    ["Read(src)", [`${WORKSPACE}/src`, `${WORKSPACE}/src/b`, `${WORKSPACE}/src/sub/b`]],
    ["Read(src/**)", [`${WORKSPACE}/src`, `${WORKSPACE}/src/b`, `${WORKSPACE}/src/sub/b`]],
    ["Read(src/**/b)", [`${WORKSPACE}/src/b`, `${WORKSPACE}/src/sub/b`]],
    ["Read(src/*/b)", [`${WORKSPACE}/src/sub/b`]],
    ["Read(..a)", [`${WORKSPACE}/..a`]],
    ["Read(~)", paths.filter((path) => path === HOME || path.startsWith(`${HOME}/`))],
    ["Read(~/notes)", [`${HOME}/notes/a`]],
    ["Read(//home/me)", paths.filter((path) => path === HOME || path.startsWith(`${HOME}/`))],
    ["Read(//)", paths],
    ["Bash(a)", []],
    ["WebFetch(domain:a)", []],
  ])("%s matches exactly the paths that it names", (rule, expected) => {
    const { pattern } = requireRule(rule);
    expect(paths.map((path) => matchesPath(pattern, path, pathContext))).toEqual(
      paths.map((path) => expected.includes(path)),
    );
  });

  it("names special characters with a backslash", () => {
    const odd = ["a*b", "axb", "a b", "a[b", "{a,b}", "a\\b"].map((name) => `${WORKSPACE}/${name}`);
    expect(matched("Read(a\\*b)", odd)).toEqual([`${WORKSPACE}/a*b`]);
    expect(matched("Read(a\\ b/**)", odd)).toEqual([`${WORKSPACE}/a b`]);
    expect(matched("Read(a\\[b)", odd)).toEqual([`${WORKSPACE}/a[b`]);
    expect(matched("Read(\\{a,b})", odd)).toEqual([`${WORKSPACE}/{a,b}`]);
    expect(matched("Read(a\\\\b)", odd)).toEqual([`${WORKSPACE}/a\\b`]);
    expect(matched("Read({a b,axb})", odd)).toEqual([`${WORKSPACE}/axb`, `${WORKSPACE}/a b`]);
  });

  it("is read anew for another workspace", () => {
    const { pattern } = requireRule("Read(a)");
    const isMet = (path: string) =>
      [WORKSPACE, "/other"].map((workspace) => matchesPath(pattern, path, { workspace, home: HOME }));
    expect([isMet(`${WORKSPACE}/a`), isMet("/other/a")]).toEqual([
      [true, false],
      [false, true],
    ]);
  });
});

describe("a rule's tool", () => {
  const tools = [
    "Read",
    "Glob",
    "Grep",
    "Edit",
    "Write",
    "Bash",
    "mcp__a",
    "mcp__a__b",
    "mcp__a__bc",
    "mcp__ab__c",
  ];
  it.each([
    ["Read", ["Read", "Glob", "Grep"]],
    ["Edit", ["Edit", "Write"]],
    ["Write", ["Write"]],
    ["Glob", ["Glob"]],
    ["Bash", ["Bash"]],
    ["mcp__a", ["mcp__a", "mcp__a__b", "mcp__a__bc"]],
    ["mcp__a__b", ["mcp__a__b"]],
  ])("%s covers exactly its tools", (rule, covered) => {
    expect(tools.filter((tool) => isAbout(requireRule(rule), tool))).toEqual(covered);
  });
});

describe("a rule for hosts", () => {
  const urls = [
    "https://example.com/x",
    "http://EXAMPLE.com.:81/",
    "https://a.example.com/",
    "https://notexample.com/",
    "https://example.com.evil.org/",
    "https://evil.org/?example.com",
    "example.com",
  ];
  const [plain, dotted, below] = urls;
  it.each([
    ["WebFetch(domain:example.com)", [plain, dotted], [plain, dotted, below]],
    ["WebFetch(domain:*.example.com)", [below], [below]],
    ["WebFetch", urls, urls],
    ["Bash(example.com)", [], []],
    ["Read(example.com)", [], []],
  ])("%s allows and denies exactly the hosts that it names", (rule, allowed, denied) => {
    const { pattern } = requireRule(rule);
    expect(urls.filter((url) => matchesUrl(pattern, url, "allowing"))).toEqual(allowed);
    expect(urls.filter((url) => matchesUrl(pattern, url, "narrowing"))).toEqual(denied);
  });
});

describe("a rule for commands", () => {
  const decided = (list: "allow" | "deny", rule: string, command: string) =>
    decideCommand(command, { [list]: [rule], mode: list === "allow" ? "manual" : "auto" }).decision;

  it("keeps the words of the command apart if it allows", () => {
    expect(decided("allow", "Bash(npm run lint fix)", "npm run lint fix")).toBe("allow");
    for (const command of [
      "npm run 'lint fix'",
      "npm run lint ' fix'",
      "npm 'ru'n' lint' fix",
      "npm run lint fix ''",
    ])
      expect(decided("allow", "Bash(npm run lint fix)", command), command).toBe("ask");
    expect(decided("allow", "Bash(npm run lint)", "npm run 'li nt'")).toBe("ask");
    expect(decided("allow", "Bash(npm run *)", "npm run 'li nt' ''")).toBe("allow");
  });

  it("allows no single command if it is for several lines", () => {
    expect(decided("allow", "Bash(npm test\\nmake)", "npm test\nmake")).toBe("allow");
    expect(decided("allow", "Bash(npm test\\nmake)", "npm test make")).toBe("ask");
    expect(decided("allow", "Bash(npm *\\nmake)", "npm test make")).toBe("ask");
    expect(decided("allow", "Bash(npm test\\n*)", "npm test ''")).toBe("ask");
  });

  it("finds the command regardless of quotes, spaces and the program's folder if it denies", () => {
    for (const command of ["rm x", '"rm" x', "rm   x", "/bin/rm x", "./rm x", "rm '' x", "echo $(rm x)"])
      expect(decided("deny", "Bash(rm x)", command), command).toBe("deny");
    for (const rule of ['Bash("rm" x)', "Bash('rm' 'x')", "Bash(rm   x)", "Bash('' rm x '')"])
      expect(decided("deny", rule, "rm x"), rule).toBe("deny");
    expect(decided("deny", "Bash(echo 'a  b')", "echo 'a  b'")).toBe("deny");
    expect(decided("deny", "Bash(./rm x)", "./rm x")).toBe("deny");
    for (const command of ["rm", "rm y", "rm x y", "rmx", "bin/ls rm x"])
      expect(decided("deny", "Bash(rm x)", command), command).toBe("allow");
  });

  it("counts a character outside the basic plane as one", () => {
    expect(decided("deny", "Bash(echo 🔒:*)", "echo 🔒 x")).toBe("deny");
    expect(decided("deny", "Bash(echo *🔒*)", "echo a🔒b")).toBe("deny");
    expect(decided("deny", "Bash(echo 🔒:*)", "echo 🔑 x")).toBe("allow");
    expect(decided("allow", "Bash(echo 🔒 > x)", "echo 🔒 > x")).toBe("allow");
    expect(decided("allow", "Bash(echo 🔒 > x)", "echo 🔑 > x")).toBe("ask");
  });

  it("is for exactly one line only without stars", () => {
    const isFor = (rule: string, line: string) => isExactly(requireRule(rule).pattern, line);
    expect(isFor("Bash(a; b)", " a; b ")).toBe(true);
    expect(isFor("Bash(a; b\\*)", "a; b*")).toBe(true);
    expect(isFor("Bash(a; \\(b\\)\\, \\\\c\\nd)", "a; (b), \\c\nd")).toBe(true);
    for (const [rule, line] of [
      ["Bash(a; b*)", "a; b"],
      ["Bash(a; b*)", "a; b*"],
      ["Bash(a; b:*)", "a; b"],
      ["Bash(a;  b)", "a; b"],
      ["Bash", "a"],
      ["Read(a)", "a"],
      ["WebFetch(domain:a)", "a"],
    ] as const)
      expect(isFor(rule, line), rule).toBe(false);
  });

  it.each<[pattern: string, match: "whole" | "prefix", yes: string[], no: string[]]>([
    ["a", "whole", ["a"], ["", "b", "ab", "a b", "ba"]],
    ["a", "prefix", ["a", "a b", "a "], ["ab", "b a", "a\tb"]],
    [" a  b\t", "whole", ["a b"], ["a  b", " a b"]],
    ["a*", "whole", ["a", "ab", "a b"], ["b", "ba"]],
    ["*a", "whole", ["a", "ba"], ["ab", "a b"]],
    ["*a", "prefix", ["a", "ba", "ba c"], ["ab", "bab c"]],
    ["a  *  b", "whole", ["a x b", "a  b"], ["a b", "axb", "a x b c", "ab"]],
    ["a *b", "whole", ["a b", "a xb"], ["a xb c", "a xbc"]],
    ["a*b*c", "whole", ["abc", "axbxc", "abcbc"], ["ac", "axc", "acb", "cba", "abcx"]],
    ["*ab*b", "whole", ["abb", "xabxb"], ["ab", "xab", "b"]],
    ["a*bb*c", "whole", ["abbc"], ["ac", "abc", "abbx"]],
    ["aba*ba", "whole", ["ababa", "abaxba"], ["aba", "abba"]],
    ["a*b*c", "prefix", ["abc d", "axbxc"], ["ac b", "abcd", "ab"]],
    ["a\\*b", "whole", ["a*b"], ["axb", "a\\*b"]],
    ["a\\xb", "whole", ["a\\xb"], ["axb"]],
  ])("%j as a %s pattern matches exactly these lines", (pattern, match, yes, no) => {
    expect([...yes, ...no].filter(wildcardMatcher(pattern, match))).toEqual(yes);
  });
});

describe("a search", () => {
  const paths = ["secrets/key", "src/a", ".env"].map((path) => `${WORKSPACE}/${path}`);
  const hidden = (tool: "Glob" | "Grep", deny: readonly string[]) => {
    const hides = hiddenFrom({ tool, deny, workspace: WORKSPACE, home: HOME });
    return hides && [...paths, `${HOME}/a`].filter(hides);
  };

  it("leaves out the paths that rules for it, or for reading, deny", () => {
    expect(hidden("Glob", ["Read(secrets/**)", "Glob(.env)"])).toEqual([paths[0], paths[2]]);
    expect(hidden("Grep", ["Read(secrets/**)", "Glob(.env)"])).toEqual([paths[0]]);
    expect(hidden("Grep", ["Read(~/a)", "Bash(rm:*)"])).toEqual([`${HOME}/a`]);
    expect(hidden("Grep", ["Read(none)"])).toEqual([]);
  });

  it("shows everything if no rule denies a path", () => {
    for (const deny of [[], ["Bash(cat:*)"], ["Glob(.env)"], ["Edit(src/**)"], ["Read"]])
      expect(hidden("Grep", deny)).toBeUndefined();
  });
});
