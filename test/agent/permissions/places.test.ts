import { describe, expect, it } from "vitest";
import { isInside, isOutside, pathsNamed, protectedPart } from "../../../src/agent/permissions/places.ts";
import { WORKSPACE } from "./asking.ts";

/** Each call gets its own context, because paths are cached by context. */
const ownContext = () => ({ workspace: WORKSPACE, home: "/home/me" });

describe("a path", () => {
  it.each<[workspace: string, inside: string[], outside: string[]]>([
    [
      WORKSPACE,
      [WORKSPACE, `${WORKSPACE}/a`, `${WORKSPACE}/dev/a`],
      ["/", "/home/me", `${WORKSPACE}2`, "/home/me/other/a", "/dev/null", `/x${WORKSPACE}/a`],
    ],
    ["/", ["/", "/etc/hosts", "/device", "/home/proc"], ["/proc", "/proc/1", "/sys/a", "/dev/null"]],
    ["/dev/shm/x", ["/dev/shm/x", "/dev/shm/x/a"], ["/dev/shm", "/a"]],
  ])("is inside the workspace %s or not", (workspace, inside, outside) => {
    expect([...inside, ...outside].filter((path) => isInside({ workspace }, path))).toEqual(inside);
  });

  it("is protected by its name, but only inside the workspace", () => {
    const partOf = (path: string) => protectedPart(ownContext(), path);
    expect(
      ["a/.git/b", ".git", ".worldline/x", "a/.envrc", ".mcp.json"].map((path) =>
        partOf(`${WORKSPACE}/${path}`),
      ),
    ).toEqual([".git", ".git", ".worldline", ".envrc", ".mcp.json"]);
    expect(
      ["a", "git", ".envrc/a", ".gitignore", ".worldlines"].map((path) => partOf(`${WORKSPACE}/${path}`)),
    ).toEqual(Array.from({ length: 5 }));
    expect([WORKSPACE, "/home/me/.git/config", "/home/me/.envrc", "/.git"].map(partOf)).toEqual(
      Array.from({ length: 4 }),
    );
  });

  it("of a harmless device is not outside the workspace", () => {
    const outside = (path?: string) =>
      isOutside(ownContext(), { word: "", piece: "", ...(path === undefined ? {} : { path }) });
    for (const path of ["/dev/null", "/dev/zero", "/dev/urandom", "/dev/tty", "/dev/fd/10", `${WORKSPACE}/a`])
      expect(outside(path), path).toBe(false);
    for (const path of [
      "/dev/sda",
      "/dev/null/a",
      "/x/dev/null",
      "/dev/fd/x",
      "/dev/fd",
      "/etc/hosts",
      undefined,
    ])
      expect(outside(path), path).toBe(true);
  });
});

describe("the paths that a command names", () => {
  /** Returns each piece with its path, relative to the workspace if it is inside. */
  const named = (...words: string[]) =>
    pathsNamed(ownContext(), words).map(({ piece, path }) => [
      piece,
      path?.startsWith(`${WORKSPACE}/`) === true ? path.slice(WORKSPACE.length + 1) : path,
    ]);
  const inWord = (word: string) => named("/bin/cat", word);

  it("are the words and the pieces in them, each with its word", () => {
    expect(pathsNamed(ownContext(), ["cp", "--to=../x", "~"])).toEqual([
      { word: "cp", piece: "cp", path: `${WORKSPACE}/cp` },
      { word: "--to=../x", piece: "--to=../x", path: `${WORKSPACE}/--to=../x` },
      { word: "--to=../x", piece: "--to", path: `${WORKSPACE}/--to` },
      { word: "--to=../x", piece: "../x", path: "/home/me/x" },
      { word: "~", piece: "~", path: "/home/me" },
    ]);
    expect(pathsNamed(ownContext(), [])).toEqual([]);
  });

  it.each([
    "/bin/ls",
    "/usr/bin/ls",
    "/sbin/ls",
    "/usr/sbin/ls",
    "/usr/local/bin/ls",
    "/opt/homebrew/bin/ls",
  ])("do not include a program of the system: %s", (program) => {
    expect(named(program, "a")).toEqual([["a", "a"]]);
  });

  it("include any other program", () => {
    expect(named("/opt/bin/ls", "a")).toEqual([
      ["/opt/bin/ls", "/opt/bin/ls"],
      ["a", "a"],
    ]);
  });

  it("are unknown for `cd` without a folder", () => {
    expect(pathsNamed(ownContext(), ["cd"]).at(-1)).toEqual({ word: "cd", piece: "" });
    expect(pathsNamed(ownContext(), ["pushd", "-n", "--"]).at(-1)).toEqual({
      word: "pushd -n --",
      piece: "",
    });
    expect(named("cd", "src")).toEqual([
      ["cd", "cd"],
      ["src", "src"],
    ]);
    expect(named("cd", "-P", "src").map(([piece]) => piece)).toEqual(["cd", "-P", "src"]);
    expect(named("ls")).toEqual([["ls", "ls"]]);
  });

  it.each<[word: string, pieces: string[]]>([
    ["", []],
    ["a", ["a"]],
    ["a b", ["a b"]],
    ["a=b", ["a=b", "a", "b"]],
    ["=a", ["=a", "a"]],
    ["a,b:c@d", ["a,b:c@d", "a", "b:c@d", "b", "c", "d"]],
    ["me@host:/etc", ["me@host:/etc", "me", "host", "/etc"]],
    ["https://example.com/a:b@c", ["https://example.com/a:b@c"]],
    [
      "--url=HTTPS://example.com/a",
      ["--url=HTTPS://example.com/a", "--url", "HTTPS://example.com/a", "--url="],
    ],
    ["http://e.com/?f=/etc", ["http://e.com/?f=/etc", "http://e.com/?f", "/etc"]],
    ["'http://e.com' /etc", ["'http://e.com' /etc", "'' /etc"]],
    ["file:///etc", ["file:///etc", "file", "///etc"]],
    ["-I/usr", ["-I/usr", "/usr"]],
    ["-abI/usr", ["-abI/usr", "/usr"]],
    ["-o~/x", ["-o~/x", "~/x"]],
    ["-C..", ["-C..", ".."]],
    ["-C../", ["-C../", "../"]],
    ["-o../file", ["-o../file", "../file"]],
    ["-o..x", ["-o..x"]],
    ["--I/usr", ["--I/usr", "/usr"]],
    ["x-I/usr", ["x-I/usr"]],
    ["-/usr", ["-/usr"]],
    ["-a.b/usr", ["-a.b/usr"]],
    ["{a,b}", ["{a,b}", "a", "b", "b", "a"]],
    ["{..,a}/x", ["{..,a}/x", "..", "a", "/x", "a/x", "../x"]],
    ["{a", ["{a", "a", "{a", "a"]],
  ])("are in %j exactly these pieces", (word, pieces) => {
    expect(inWord(word).map(([piece]) => piece)).toEqual(pieces);
  });

  it("could be anything in a word with too many braces, but not in a very long one", () => {
    const paths = (word: string) => inWord(word).map(([, path]) => path);
    expect(paths("{a,b}".repeat(9))).toContain("/home/me");
    expect(paths("{.,}./x")).toContain("/home/me/x");
    const long = (length: number) => "{.,}./".padEnd(length, "x");
    expect(inWord(long(999)).map(([piece]) => piece)).toContain(`../${"x".repeat(993)}`);
    expect(inWord(long(1_000)).map(([piece]) => piece)).not.toContain(`../${"x".repeat(994)}`);
  });

  it.each<[word: string, path: string | undefined]>([
    ["a/../b", "b"],
    ["..", "/home/me"],
    ["/etc/../x", "/x"],
    ["~", "/home/me"],
    ["~/", "/home/me/"],
    ["~/a", "/home/me/a"],
    ["~other", undefined],
    ["~other/a", undefined],
    ["a~", "a~"],
    ["$HOME", undefined],
    ["$HOME/a", undefined],
    ["$OLDPWD", undefined],
    ["$TMPDIR/a", undefined],
    ["$XDG_CONFIG_HOME/a", undefined],
    ["$HOMEPAGE", "$HOMEPAGE"],
    ["$X", "$X"],
    ["a$HOME", "a$HOME"],
  ])("resolve %j", (word, path) => {
    expect(inWord(word)[0]).toEqual([word, path]);
  });

  it("depend on the workspace and the home folder", () => {
    expect(pathsNamed({ workspace: "/w", home: "/h" }, ["/bin/cat", "a"])).toEqual([
      { word: "a", piece: "a", path: "/w/a" },
    ]);
    expect(pathsNamed({ workspace: "/v", home: "/h" }, ["/bin/cat", "a"])).toEqual([
      { word: "a", piece: "a", path: "/v/a" },
    ]);
  });
});
