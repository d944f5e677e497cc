import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Parser, Tree } from "web-tree-sitter";
import { everyCommand, programsIn } from "../../../src/agent/permissions/shell/every-command.ts";
import {
  loadGrammar,
  type PlainCommand,
  type PlainStep,
  type Redirect,
  readPlainLine,
} from "../../../src/agent/permissions/shell/plain-line.ts";
import { readShell, type ShellPart } from "../../../src/agent/permissions/shell/read-shell.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";

await loadGrammar();

const command = (words: string, ...redirects: Redirect[]): PlainCommand => ({
  words: words.split(" "),
  redirects,
});
const step = (join: PlainStep["join"], ...pipeline: PlainCommand[]): PlainStep => ({ join, pipeline });
const output = { fd: 1, to: "null" } as const;
const errors = { fd: 2, to: "null" } as const;
const isPlain = (line: string) => readPlainLine(line) !== undefined;

/** Returns the words of a line that is a single plain command. */
function wordsOf(line: string): readonly string[] | undefined {
  const [first, ...more] = readPlainLine(line) ?? [];
  const [only, ...piped] = first?.pipeline ?? [];
  return more.length + piped.length > 0 ? undefined : only?.words;
}

describe("a plain line", () => {
  it("has its commands in order, with the operators before them", () => {
    expect(readPlainLine("a && b x || c; d\n\ne | f |\ng\n")).toEqual([
      step(";", command("a")),
      step("&&", command("b x")),
      step("||", command("c")),
      step(";", command("d")),
      step(";", command("e"), command("f"), command("g")),
    ]);
    expect(readPlainLine("\n a &&\n b;")).toEqual([step(";", command("a")), step("&&", command("b"))]);
  });

  it("applies a redirection to the last command before it", () => {
    expect(readPlainLine("a && b > /dev/null")).toEqual([
      step(";", command("a")),
      step("&&", command("b", output)),
    ]);
    expect(readPlainLine("a | b 2> /dev/null | c")).toEqual([
      step(";", command("a"), command("b", errors), command("c")),
    ]);
    expect(readPlainLine("a > /dev/null || b 2>&1 > \t/dev/null")).toEqual([
      step(";", command("a", output)),
      step("||", command("b", { fd: 2, to: 1 }, output)),
    ]);
    expect(isPlain("a && b > /dev/null | c")).toBe(false);
  });

  it.each<[string, ...Redirect[]]>([
    ["> /dev/null", output],
    ["1>/dev/null", output],
    [">>/dev/null", output],
    ["2>/dev/null", errors],
    ["2>> /dev/null", errors],
    ["&>/dev/null", output, errors],
    ["< /dev/null", { fd: 0, to: "null" }],
    ["2>&1", { fd: 2, to: 1 }],
    [">& 2", { fd: 1, to: 2 }],
    ["1>&2", { fd: 1, to: 2 }],
  ])("may have the redirection %s", (redirection, ...redirects) => {
    expect(readPlainLine(`a ${redirection}`)).toEqual([step(";", command("a", ...redirects))]);
  });

  it.each([
    ["a  b\tc \\\n d", ["a", "b", "c", "d"]],
    ["a b\\ c 'd e'\"f $\" \\\\ \\'", ["a", "b c", "d ef $", "\\", "'"]],
    ['a "\\$x \\` \\\\ \\" \\a"', ["a", '$x ` \\ " \\a']],
    ['a "$ $/ $) $| $"', ["a", "$ $/ $) $| $"]],
    ["a '$x' '\"\\b'", ["a", "$x", '"\\b']],
    ["a 'x\n\ty' \"\n\" ''", ["a", "x\n\ty", "\n", ""]],
    ["a ñ '\u0085'", ["a", "ñ", "\u0085"]],
    ["HEAD~1 ^~ x~y b#c", ["HEAD~1", "^~", "x~y", "b#c"]],
    ["a x=1 --y=2 0 0x1 1.5 - a@b 1,2 50% +x", "a x=1 --y=2 0 0x1 1.5 - a@b 1,2 50% +x".split(" ")],
  ])("has the words of the shell: %j", (line, words) => {
    expect(wordsOf(line)).toEqual(words);
  });

  it.each([
    "",
    " \n",
    "# a",
    "> /dev/null",
    "> /dev/null a",
    "a >\n/dev/null",
    "a > b",
    "a <<< b",
    "a |& b",
    "a;;",
    "a & b",
    "A=1 a",
    "A[0]=1 a",
    "'A=1' a",
    "A\\=1",
    "'' a",
    "'time' a",
    "i\\f a",
    "a 'b",
    'a"b',
    "a $'b'",
    'a $"b"',
    'a "$b"',
    "a \"$'b'\"",
    'a "`b`"',
    'a "b\\\nc"',
    "a $",
    "a ~",
    "a x=~",
    "a x:~",
    "a ''~",
    "a b~~",
    "a #b",
    "a ]",
    "a *b",
    "a \\ b",
    "a\\\tb;\\ c",
    "a b\\\nc",
    "a 'b'\\\nc",
    "a \\",
    "a \u0085",
    "a \u00a0",
    "a\\ \u000bb",
    "a '\r'",
    "a '\u0000'",
    "a '\u001f'",
    "a '\u007f'",
    "a '\ud800'",
  ])("is not %j", (line) => {
    expect(readPlainLine(line)).toBeUndefined();
  });

  it("begins a command after every newline, even before a line that begins with a backslash", () => {
    expect(isPlain("ls\n\\\nrm")).toBe(false);
    expect(isPlain("ls \n\\\n rm x")).toBe(false);
    expect(isPlain("ls\n\\\n> /dev/null")).toBe(false);
    expect(readPlainLine("ls\n \\rm x")).toEqual([step(";", command("ls")), step(";", command("rm x"))]);
  });

  it("has a limited length, number of words and depth", () => {
    const joined = (by: string, count: number) => Array.from({ length: count }, () => "a").join(by);
    expect(isPlain(`a ${"b".repeat(7_998)}`)).toBe(true);
    expect(isPlain(`a ${"b".repeat(7_999)}`)).toBe(false);
    expect(isPlain(joined(" ", 1_000))).toBe(true);
    expect(isPlain(joined(" ", 1_001))).toBe(false);
    expect(isPlain(joined("&&", 101))).toBe(true);
    expect(isPlain(joined("&&", 102))).toBe(false);
    expect(isPlain(joined(" 2>&1|", 51))).toBe(true);
    expect(isPlain(joined(" 2>&1|", 52))).toBe(false);
  });

  it("law: has the words that bash reads", async () => {
    const pieces =
      'a@b@ @ @\t@\n@\\@\\\n@\'@"@\'b\'@"c $"@$@\\$@\\"@`@~@#@=@x=@&@;@|@>@<@(@)@{@}@,@*@!@^@%@-@[@]@é@\u00a0';
    const line = fc
      .array(fc.constantFrom(...pieces.split("@")), { minLength: 1, maxLength: 7 })
      .map((all) => `a ${all.join("")}`);
    const lines = fc.sample(line, 1_000).filter((each) => wordsOf(each) !== undefined);
    expect(lines.length).toBeGreaterThan(30);
    const shown = await inTempFolder((cwd) => {
      const script = lines
        .map((each) => `eval '${each.replaceAll("'", "'\\''")}'; printf '\\n\\0'`)
        .join("\n");
      const env = { PATH: "", HOME: cwd, LC_ALL: "C.UTF-8" };
      const shell = `a() { printf '%s\\0' a "$@"; }\n${script}`;
      return execFileSync("/bin/bash", ["-c", shell], { cwd, env, encoding: "utf8" });
    });
    expect(shown.split("\0\n\0").slice(0, -1)).toEqual(lines.map((each) => wordsOf(each)?.join("\0")));
  });
});

describe("the grammar", () => {
  it("is loaded again after it crashed, and until then no line is plain", async () => {
    const parsing = vi.spyOn(Parser.prototype, "parse").mockImplementationOnce(() => {
      throw new Error("memory access out of bounds");
    });
    onTestFinished(() => parsing.mockRestore());
    const before = [isPlain("a"), isPlain("a")];
    await loadGrammar();
    expect([...before, isPlain("a")]).toEqual([false, false, true]);
  });

  it("does not hide other errors", () => {
    const reading = vi.spyOn(Tree.prototype, "rootNode", "get").mockImplementationOnce(() => {
      throw new Error("memory access out of bounds");
    });
    onTestFinished(() => reading.mockRestore());
    expect(() => readPlainLine("a")).toThrow("memory access out of bounds");
  });

  it("frees the memory of each syntax tree", () => {
    const freed = vi.spyOn(Tree.prototype, "delete");
    onTestFinished(() => freed.mockRestore());
    for (const line of ["a", "a > b"]) readPlainLine(line);
    programsIn("a");
    expect(freed).toHaveBeenCalledTimes(3);
  });
});

const spaced = (...words: string[]): ShellPart => ({ words, files: [] });
const part = (words: string, ...files: string[]): ShellPart => ({
  words: words === "" ? [] : words.split(" "),
  files,
});

describe("a line that every shell reads in the same way", () => {
  it.each<[string, ...ShellPart[]]>([
    [""],
    ["ls -l\ta ", part("ls -l a")],
    ["a; b && c || d | e & f\ng", ...["a", "b", "c", "d", "e", "f", "g"].map((each) => part(each))],
    [`'a b' "c; d" e\\ f '' "$'"`, spaced("a b", "c; d", "e f", "", "$'")],
    [`a\\'b "\\"\\$\\\`\\\\\\a"`, part(`a'b "$\`\\\\a`)],
    ['a\\\nb "c\\\nd" \\\n e', part("ab cd e")],
    ["a#b ''#c", part("a#b #c")],
    [`a $x "\u0024{y}" \u0024{long_name} $ "$'a'"`, part("a $x \u0024{y} \u0024{long_name} $ $'a'")],
    ["a > f 2>g >>h <i <>j >|k &>l &>>m >&n", part("a", ..."fghijklmn")],
    ["a 2>&1 >&2 12>&10 2>&- 3>&1- <&0 b", part("a b")],
    ["a2>f 2a>g", part("a2 2a", "f", "g")],
    ["a 2 >f", part("a 2", "f")],
    ["a >&1x >&x1 <&-x 10>x >1", part("a", "1x", "x1", "-x", "x", "1")],
    [">f a", part("a", "f")],
    ["> f", part("", "f")],
  ])("has its commands and files: %j", (line, ...parts) => {
    expect(readShell(line)).toEqual({ parts, nested: [], plain: "yes" });
  });
});

describe("a line that shells may read in different ways", () => {
  it.each<[string, ...ShellPart[]]>([
    ["(a)", part("a")],
    ["a() b", part("a"), part("b")],
    ["# c", part("# c")],
    ["a # b", part("a # b")],
    ["a \\", part("a ")],
    ["a 'b", part("a b")],
    ['a "b', part("a b")],
    ["a $'b' c", part("a $b c")],
    ['a $"b"', part("a $b")],
    ["a \u0024{x:-y}", part("a \u0024{x:-y}")],
    ['a "\u0024{x:-\u0024{y}}"', part("a \u0024{x:-\u0024{y}}")],
    ["a \u0024{x", part("a \u0024{x")],
    ["a <<X\nb\nX", part("a"), part("b"), part("X")],
    ["a <<< b c", part("a c")],
    ["a <<-X", part("a")],
    ["a >", part("a")],
    ["a > ; b", part("a"), part("b")],
  ])("is not plain: %j", (line, ...parts) => {
    expect(readShell(line)).toEqual({ parts, nested: [], plain: "no" });
  });

  it.each([
    ["a `b` c", ["a", "`b`", "c"], "b"],
    ["a `b \\`c\\` \\$d \\\\ \\e` f", ["a", "`b \\`c\\` \\$d \\\\ \\e`", "f"], "b `c` $d \\ \\e"],
    ["`a\\\nb`", ["`a\\\nb`"], "a\\\nb"],
    ["`a", ["`a"], "a"],
    ["a `b\\", ["a", "`b"], ""],
    ['a "`b`"', ["a", "`b`"], "b"],
    ["a$(b)c", ["a$(b)c"], "b"],
    ["a $((1))", ["a", "$((1))"], "(1)"],
    [`"$(a "b)" (c) 'd)' \\) '' "" e)f"`, [`$(a "b)" (c) 'd)' \\) '' "" e)f`], `a "b)" (c) 'd)' \\) '' "" e`],
    ['a $(b "\\")" c) d', ["a", '$(b "\\")" c)', "d"], 'b "\\")" c'],
    ['a <(b "\\\n)") c', ["a", '<(b "\\\n)")', "c"], 'b "\\\n)"'],
    ["a x>(b c)", ["a", "x>(b c)"], "b c"],
    ["a $(b", ["a", "$(b"], "b"],
  ])("has the lines in its substitutions: %j", (line, words, nested) => {
    expect(readShell(line)).toEqual({ parts: [{ words, files: [] }], nested: [nested], plain: "no" });
  });
});

describe("the search for every command of a line", () => {
  const found = (line: string) => everyCommand(line).commands;

  it.each<[string, ...ShellPart[]]>([
    ["ls ls; ls ls", part("ls ls")],
    ["AB=1 C_2[10]+=3 rm > f", part("rm", "f"), spaced("", "AB=1", "C_2[10]+=3", "rm")],
    ["A= > f", part("", "f"), spaced("", "A=")],
    ["--a=b c", part("--a=b c")],
    ["if rm; then", part("rm"), spaced("", "if", "rm"), spaced("", "then")],
    ["{rm,-rf,x} y", part("rm -rf x y")],
    ["{,rm} x", part("rm x")],
    ["{,} rm", part("rm")],
    ["A=/b {cat,x}", part("cat x"), spaced("", "A=/b", "{cat,x}")],
    ["'' rm", spaced("", "rm")],
    ["time -p rm x", part("time -p rm x"), part("-p rm x"), part("rm x"), part("x")],
    ["function f { rm; }", ...["function f { rm", "f { rm", "rm"].map((each) => part(each)), spaced("", "}")],
    [
      "for i do rm; done",
      part("i do rm"),
      spaced("", "for", "i", "do", "rm"),
      part("rm"),
      spaced("", "done"),
    ],
    ["trap 'rm x' EXIT", spaced("trap", "rm x", "EXIT"), part("rm x"), part("EXIT"), part("rm x EXIT")],
    ["a{b,c} d", part("a{b,c} d")],
    ["{a,b}c d", part("{a,b}c d")],
    ["sudo A=1 rm x", part("sudo A=1 rm x"), part("rm x"), part("x")],
    ["find -ok rm", part("find -ok rm"), part("-ok rm"), part("rm")],
    ["find a-exec rm", part("find a-exec rm")],
    ["ls -exec rm", part("ls -exec rm")],
    [
      "/bin/sh 'a > f; b' c",
      spaced("/bin/sh", "a > f; b", "c"),
      part("a", "f"),
      ...["b", "c", "b c"].map((each) => part(each)),
    ],
    ["eval rm x", part("eval rm x"), part("rm"), part("x"), part("rm x")],
    ["echo $'\\'' ; rm  \"x\"", spaced("echo", '$\\ ; rm  "x"'), part("echo"), part("rm x")],
    ["a $(b)", spaced("a", "$(b)"), part("a"), part("b")],
  ])("finds: %j", (line, ...commands) => {
    expect(everyCommand(line)).toEqual({ commands, whole: "yes" });
  });

  it("reads at most 20 lines in each other", () => {
    const evals = (count: number) => `${"eval ".repeat(count)}rm x`;
    const substitutions = (count: number) => `${"$(".repeat(count)}rm x${")".repeat(count)}`;
    for (const nested of [evals, substitutions]) {
      expect(everyCommand(nested(20))).toMatchObject({ whole: "yes" });
      expect(found(nested(20))).toContainEqual(part("rm x"));
      expect(everyCommand(nested(21))).toMatchObject({ whole: "no" });
    }
  });

  it("reads the first 100 words after a program that runs another one", () => {
    const sudo = (count: number) => `sudo ${"a ".repeat(count)}rm`;
    expect(everyCommand(sudo(98))).toMatchObject({ whole: "yes" });
    expect(found(sudo(98))).toContainEqual(part("rm"));
    expect(everyCommand(sudo(99))).toMatchObject({ whole: "no" });
    expect(found(sudo(99))).not.toContainEqual(part("rm"));
  });

  it("reads at most 400,000 characters, and counts repeated lines once", () => {
    expect(everyCommand(" ".repeat(400_000))).toEqual({ commands: [], whole: "yes" });
    expect(everyCommand(" ".repeat(400_001))).toEqual({ commands: [], whole: "no" });
    const long = "a".repeat(199_987);
    expect(everyCommand(`${long} `)).toEqual({ commands: [part(long)], whole: "yes" });
    expect(everyCommand(`${long}  `)).toEqual({ commands: [], whole: "no" });
    expect(everyCommand(`sudo ${"bash ".repeat(15)}${"a".repeat(4_000)}`)).toMatchObject({ whole: "yes" });
  });
});

describe("the programs of a line", () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`);

  it.each([
    ["", []],
    ["ls && rm x | 'a b'; ls", ["ls", "rm", "'a b'"]],
    ["rm $(ls) `cat x` > f", ["rm", "ls", "cat"]],
    ["A=1", []],
    ["ls )(; /bin/rm x", ["ls", "/bin/rm", "rm"]],
    ["A=1 )", []],
    ["ls \\\n x", ["ls"]],
    [names(40).join(";"), names(40)],
    [names(41).join(";"), [...names(40), "…"]],
  ])("are: %j", (line, programs) => {
    expect(programsIn(line)).toEqual(programs);
  });

  it("are found in a line that is too long to parse", () => {
    expect(programsIn(`ls ${"a".repeat(8_000)} && /bin/rm x; A=1; > f`)).toEqual(["ls", "rm"]);
  });

  it("include a program after a newline and a backslash", () => {
    for (const line of ["ls\n\\\nrm x", "ls\n \\rm x", "ls\n\t\\\nrm x", "ls \\\r\nrm x", "ls\\\r\n'rm' x"])
      expect(programsIn(line).map((name) => name.replace(/^\W+|\W+$/gu, ""))).toContain("rm");
  });
});
