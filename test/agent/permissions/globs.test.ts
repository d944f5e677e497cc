import { describe, expect, it } from "vitest";
import { alternativesOf, globMatcher, globProblem } from "../../../src/agent/permissions/glob.ts";

/** Returns those of the paths that the glob matches. */
const matched = (glob: string, paths: readonly string[]) => paths.filter(globMatcher(glob));

describe("a glob", () => {
  it.each<[glob: string, yes: string[], no: string[]]>([
    ["src", ["src", "src/a", "src/a/b"], ["srcs", "s", "lib/src", "lib"]],
    ["src/**", ["src", "src/a", "src/a/b"], ["srcs/a", "lib/src/a"]],
    ["**", ["a", "a/b", ".a/.b"], []],
    ["**/a", ["a", "b/a", "c/b/a", "b/a/c"], ["b", "ba", "b/ca"]],
    ["a/**/b", ["a/b", "a/x/b", "a/x/y/b", "a/x/b/y"], ["a/x", "ab", "x/a/b", "b"]],
    ["**/a/**/b", ["a/b", "x/a/y/b"], ["b/a", "a"]],
    ["*", ["a", ".a", "a/b"], []],
    ["*/b", ["a/b", ".x/b"], ["b", "a", "a/x/b", "a/c"]],
    ["*.ts", [".ts", "a.ts", "a.b.ts", "a.ts.ts", "a.ts/b"], ["a.tsx", "ats", "x/a.ts", "a.t"]],
    ["a*", ["a", "ab", "a.b"], ["b", "ba"]],
    ["a*b*c", ["abc", "a1b2c", "abbcc", "abcbc"], ["ab", "ac", "acb", "abcd"]],
    ["*ab*", ["ab", "aab", "xabx", "axab"], ["a", "ba", "axb"]],
    ["a**", ["a", "ab"], ["b", "x/a"]],
    ["**a", ["a", "ba"], ["b", "x/a"]],
    ["?", ["a", "*", "a/b"], ["ab"]],
    ["a?c", ["abc", "a?c", "a.c"], ["ac", "abbc"]],
    ["[a-c]x", ["ax", "bx", "cx"], ["dx", "-x", "x", "abx"]],
    ["[ac]", ["a", "c"], ["b", "ac"]],
    ["[!a-c]x", ["dx", "!x"], ["ax", "bx", "x"]],
    ["[^a]", ["b", "^"], ["a"]],
    ["[a!]", ["a", "!"], ["b"]],
    ["[a!b]", ["a", "!", "b"], ["c"]],
    ["[ -a]", [" ", "-", "A", "a"], ["b"]],
    ["[\t- ]", ["\t", "\n", " "], ["-", "a"]],
    ["", [""], ["a"]],
    ["[a^]", ["a", "^"], ["b"]],
    ["[!]", ["!"], ["[!]", "a"]],
    ["[]a]", ["]", "a"], ["b", "[]a]"]],
    ["[!]a]", ["b"], ["]", "a"]],
    ["[]", ["[]"], ["", "a"]],
    ["[a", ["[a"], ["a"]],
    ["a[/]b", ["a[/]b"], ["a/b"]],
    ["[\n]", ["\n"], ["n"]],
    ["{a,b}", ["a", "b", "a/x"], ["c", "{a,b}", "ab"]],
    ["x{a,b/c}y", ["xay", "xb/cy"], ["xa", "xb/y", "ay"]],
    ["{a,b}{c,d}", ["ac", "ad", "bc", "bd"], ["ab", "a", "c"]],
    ["{a,{b,c}d}", ["a", "bd", "cd"], ["b", "ad", "d"]],
    ["{{a,b},c}", ["a", "b", "c"], ["ab"]],
    ["{,a}b", ["b", "ab"], ["a", "bb"]],
    ["{a}", ["{a}"], ["a"]],
    ["{a{b,c}", ["{ab", "{ac"], ["ab", "b"]],
    ["a,b", ["a,b"], ["a", "b"]],
    ["a}{b,c}", ["a}b", "a}c"], ["ab"]],
    ["{[,],a}", [",", "a"], ["[", "]"]],
    ["\\{a,b}", ["{a,b}"], ["a", "b"]],
    ["{a\\,b,c}", ["a,b", "c"], ["a", "b"]],
    ["\\*", ["*"], ["a", "\\a"]],
    ["a\\*b", ["a*b"], ["axb"]],
    ["\\[a]", ["[a]"], ["a"]],
    ["\\?", ["?"], ["a"]],
    ["\\a", ["a"], ["\\a"]],
    ["a\\", ["a\\"], ["a"]],
    ["a\\\nb", ["a\nb"], ["ab"]],
    ["A", ["A"], ["a"]],
    [".", ["."], ["a"]],
    ["(a|b)", ["(a|b)"], ["a", "b"]],
  ])("%j matches exactly what it says, and what is below", (glob, yes, no) => {
    expect(matched(glob, [...yes, ...no])).toEqual(yes);
  });

  it("counts a character outside the basic plane as one", () => {
    expect(matched("secret-🔒*", ["secret-🔒", "secret-🔒/key", "secret-🔑"])).toEqual([
      "secret-🔒",
      "secret-🔒/key",
    ]);
    expect(matched("?", ["🔒", "🔒🔒"])).toEqual(["🔒"]);
    expect(matched("[🔐-🔓]*", ["🔒", "🔒a", "🔔", "😀"])).toEqual(["🔒", "🔒a"]);
  });

  it.each<[glob: string, alternatives: string[]]>([
    ["a", ["a"]],
    ["{a,b}", ["b", "a"]],
    ["x{a,b}y{c,d}", ["xbyd", "xbyc", "xayd", "xayc"]],
    ["{a}", ["{a}"]],
    ["", [""]],
  ])("%j has alternatives", (glob, alternatives) => {
    expect(alternativesOf(glob)).toEqual(alternatives);
  });

  it("may have 256 alternatives, but no more", () => {
    expect(alternativesOf("{a,b}".repeat(8))).toHaveLength(256);
    expect(alternativesOf(`{${"a,".repeat(255)}a}`)).toHaveLength(256);
    expect(alternativesOf(`{${"a,".repeat(256)}a}`)).toBeUndefined();
    expect(alternativesOf("{a,b}".repeat(9))).toBeUndefined();
    expect(matched("{a,b}".repeat(9), ["a", "ababababa"])).toEqual([]);
  });

  it.each([
    ["!(a)", "rule-glob-extended"],
    ["a/?(b)", "rule-glob-extended"],
    ["+(a|b)", "rule-glob-extended"],
    ["x*(a)", "rule-glob-extended"],
    ["@(a)", "rule-glob-extended"],
    ["\\\\@(a)", "rule-glob-extended"],
    ["{1..3}", "rule-glob-range"],
    ["x/{a..c}y", "rule-glob-range"],
    ["{{a..c},b}", "rule-glob-range"],
    ["{..}", "rule-glob-range"],
  ])("%j is refused, because it would mean something else to a shell", (glob, reason) => {
    expect(globProblem(glob)).toEqual({ reason, params: {} });
  });

  it("is refused if it has too many alternatives", () => {
    expect(globProblem("{a,b}".repeat(8))).toBeUndefined();
    expect(globProblem("{a,b}".repeat(9))).toEqual({
      reason: "rule-glob-alternatives",
      params: { most: 256 },
    });
  });

  it.each([
    "a",
    "(a)",
    "a(b)",
    "\\@(a)",
    "@\\x(a)",
    "{a.\\x.b}",
    "!a",
    "a@b",
    "a..b",
    "{a,b..c}",
    "{a\\..b}",
    "\\{a..b}",
    "\\\n(a)",
    "{a}..{b}",
  ])("%j is not refused", (glob) => {
    expect(globProblem(glob)).toBeUndefined();
  });
});
