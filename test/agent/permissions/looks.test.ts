import { describe, expect, it } from "vitest";
import { gitLookOf } from "../../../src/agent/permissions/unasked/git.ts";
import { onlyLooks, planText } from "../../../src/agent/permissions/unasked/plan.ts";
import { lookOf } from "../../../src/agent/permissions/unasked/programs.ts";
import { decideCommand, planHere, planned, WORKSPACE } from "./asking.ts";

describe("a program that only reads", () => {
  it.each([
    "ls -la --color=auto --sort size src",
    "cat -n -- a -b",
    "head -5 a",
    "head -n -15 a",
    "tail -n5 a",
    "tail -n +5 a",
    "head --lines 5 a",
    "head --lines=5 a",
    "head -qn 5 a",
    "grep -e x -A 2 a",
    "grep -12 x a",
    "wc - a",
    "echo --anything -x",
    "date -u +%F",
    "uniq -c a",
    "cmp a b",
    "pwd -P",
    "find",
    "find a-b src",
    "find . -print",
    "find src -name '*.ts' -o -not -type f -print",
    "find src -mtime -1",
    "sed -n 10p a",
    "sed -n 10,12p a b",
    "sed -n '$p' a",
    "sed -n '1,$p' a-",
    "test -d src",
    "which -a ls c++",
  ])("runs without asking: %j", (command) => {
    expect(decideCommand(command)).toMatchObject({ decision: "allow" });
  });

  it.each([
    "cat --files=x a",
    "cat --number=x a",
    "tac -x a",
    "tac --x a",
    "ls -w",
    "head -5x a",
    "head -z-5 a",
    "head -n -5x a",
    "head -n -x-5 a",
    "head x-5 -z a",
    "cat -5 a",
    "head -n",
    "head -n -x a",
    "cut -d -5 a",
    "sort -k -5 a",
    "sort --output=x a",
    "sort -uo x a",
    "sort -o",
    "tail -5 +1f a",
    "uniq a b",
    "uniq -- a b",
    "cmp a b 1",
    "pwd x",
    "whoami -x",
    "date 11200000",
    "date +%F 11200000",
    "date -s x",
    "find . -delete",
    "find . -name x -exec x",
    "find . -name",
    "find . -fprint x",
    "find -L .",
    "find '(x' -delete",
    "find a-b -delete",
    "sed 10p a",
    "sed -x 10p a",
    "sed -n",
    "sed -n 'w x' a",
    "sed -n '1w x;10p' a",
    "sed -n '10p;w x' a",
    "sed -n 10px a",
    "sed -n 1p -i a",
    "sed -n 1p a -i",
    "test -d",
    "test x -d src",
    "test -v x",
    "test x-d src",
    "test -dx src",
    "test -d src x",
    "test src",
    "which ./ls",
    "which ls 'a b'",
    "which -x ls",
    "which ls /bin/ls",
    "constructor x",
    "cd '' && ls",
    "cd src x && ls",
    "cd src || cd lock",
    "cd src || ls",
    "cd | ls",
    "cd | src",
    "cd src | ls",
    "ls && cd src",
    "ls; cd src && pwd; ls",
    "ls | cd src",
  ])("asks: %j", (command) => {
    expect(decideCommand(command)).toMatchObject({ decision: "ask" });
  });

  it("is known with what it opens", () => {
    expect([
      lookOf(["cat", "-n", "a", "--", "-b"]),
      lookOf(["ls", "src"]),
      lookOf(["grep", "-e", "x", "a", "-"]),
      lookOf(["sort", "-k2", "-t", ",", "a"]),
      lookOf(["echo", "-n", "x"]),
      lookOf(["find", "src", "-name", "x"]),
      lookOf(["sed", "-n", "1p", "a", "b"]),
      lookOf(["test", "-e", "a"]),
      lookOf(["which", "-a", "ls"]),
      lookOf(["make"]),
      lookOf([]),
    ]).toEqual([
      { opens: "files", operands: ["a", "-b"], looks: "named" },
      { opens: "paths", operands: ["src"], looks: "named" },
      { opens: "paths", operands: ["a", "-"], looks: "wide" },
      { opens: "files", operands: ["a"], looks: "named" },
      { opens: "nothing", operands: ["-n", "x"], looks: "named" },
      { opens: "paths", operands: ["src"], looks: "wide" },
      { opens: "files", operands: ["a", "b"], looks: "named" },
      { opens: "paths", operands: ["a"], looks: "named" },
      { opens: "nothing", operands: ["ls"], looks: "named" },
      undefined,
      undefined,
    ]);
  });
});

describe("a git command that only reads", () => {
  it.each([
    "git --no-pager -C src --no-pager status -uno",
    "git log -5 -n 3 --since yesterday --format=%h -- src",
    "git diff --stat HEAD",
    "git stash list",
    "git branch -a",
    "git tag -l",
    "git remote -v",
    "git blame -L 1,5 a",
    "git log --format=%Cred%h",
  ])("runs without asking: %j", (command) => {
    expect(decideCommand(command)).toMatchObject({ decision: "allow" });
  });

  it.each([
    "git",
    "git -C src",
    "git -C",
    "git -C src -C lock status",
    "git -c core.pager=x log",
    "git -p log",
    "git --exec-path=x log",
    "git stash",
    "git stash pop",
    "git stash list -p",
    "git branch x",
    "git tag x",
    "git remote update",
    "git blame -5 a",
    "git status -v",
    "git log --format=%GS",
    "git log '--format=%G?'",
    "git log --format=%-GS",
    "git log --pretty '%+GK'",
    "git log --format '% GK'",
    "git constructor",
  ])("asks: %j", (command) => {
    expect(decideCommand(command)).toMatchObject({ decision: "ask" });
  });

  it("is only git's, and is run with options that keep git from running other programs", () => {
    expect(gitLookOf(["svn", "status"])).toBeUndefined();
    const look = (...words: string[]) => {
      const { args = [], ...rest } = gitLookOf(["git", ...words]) ?? {};
      // Each override is preceded by `-c`.
      return { ...rest, args: args.filter((each, index) => each !== "-c" && args[index - 1] !== "-c") };
    };
    expect([
      look("-C", "src", "--no-pager", "diff", "a"),
      look("status"),
      look("log", "-3"),
      look("stash", "list"),
    ]).toEqual([
      {
        folder: "src",
        looks: "wide",
        args: ["--no-pager", "diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "a"],
      },
      { looks: "named", args: ["--no-pager", "status", "--ignore-submodules=dirty"] },
      {
        looks: "wide",
        args: ["--no-pager", "log", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "-3"],
      },
      { looks: "named", args: ["--no-pager", "stash", "list"] },
    ]);
    expect(gitLookOf(["git", "status"])?.args.slice(0, 5)).toEqual([
      "--no-pager",
      "-c",
      "core.fsmonitor=",
      "-c",
      "core.virtualFilesystem=",
    ]);
  });
});

describe("the plan of a command", () => {
  const commandOf = (...given: Parameters<typeof planHere>) => planHere(...given)?.steps[0]?.pipeline[0];
  const environment = {
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
    GIT_EDITOR: "false",
    GIT_ASKPASS: "false",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
  };

  it("contains the program's real path and everything that the words may name", () => {
    expect(planHere("cd src && grep -rn x ./lib b=lock/a | wc")).toEqual({
      folder: `${WORKSPACE}/src`,
      steps: [
        {
          join: "&&",
          pipeline: [
            {
              words: ["grep", "-rn", "x", "./lib", "b=lock/a"],
              redirects: [],
              places: ["-rn", "x", "lib", "b=lock/a", "b", "lock/a"].map(
                (each) => `${WORKSPACE}/src/${each}`,
              ),
              looks: "wide",
              run: { program: "/usr/bin/grep", args: ["-rn", "x", "./lib", "b=lock/a"], environment: {} },
            },
            {
              words: ["wc"],
              redirects: [],
              places: [],
              looks: "named",
              run: { program: "/usr/bin/wc", args: [], environment: {} },
            },
          ],
        },
      ],
    });
  });

  it("contains the first word that leads out of the workspace, and the places before it", () => {
    expect(commandOf("make a /dev/null link b")).toEqual({
      words: ["make", "a", "/dev/null", "link", "b"],
      redirects: [],
      places: [`${WORKSPACE}/a`, "/dev/null"],
      outside: "link",
    });
    expect(commandOf("make '~/x'")).toMatchObject({ places: [], outside: "~/x" });
    expect(commandOf(`make ${WORKSPACE}/a/../../x`)).toMatchObject({
      places: [],
      outside: expect.any(String),
    });
  });

  it("runs git in the repository that was found, and without permission only there", () => {
    const seen = { GIT_WORK_TREE: WORKSPACE, GIT_CEILING_DIRECTORIES: "/home/me" };
    const run = (command: string, different: Parameters<typeof planHere>[1] = {}) => {
      const found = commandOf(command, different);
      return { looks: found?.looks, ...found?.run, args: found?.run?.args.slice(0, 3) };
    };
    expect(run("git status")).toEqual({
      looks: "named",
      program: "/usr/bin/git",
      args: ["--no-pager", "-c", "core.fsmonitor="],
      environment: { ...environment, ...seen },
    });
    expect(run("git -C src log")).toEqual({
      looks: "wide",
      program: "/usr/bin/git",
      args: ["-C", `${WORKSPACE}/src`, "--no-pager"],
      environment: { ...environment, ...seen },
    });
    expect(run("git -C ../other status")).toEqual({
      program: "/usr/bin/git",
      args: ["-C", "/home/me/other", "--no-pager"],
      environment,
    });
    expect(run("git status", { repository: () => undefined })).toMatchObject({
      looks: undefined,
      environment,
    });
    expect(run("git status", { repository: () => `${WORKSPACE}/a:b/c` })).toMatchObject({
      looks: undefined,
      environment,
    });
    expect(run("git status", { program: () => undefined })).toMatchObject({
      looks: undefined,
      program: "git",
      environment,
    });
    expect(run("git commit")).toEqual({
      program: "git",
      args: ["-c", "safe.bareRepository=explicit", "commit"],
      environment: {},
    });
  });

  it("does not exist if the command starts outside the workspace, or changes to a folder that is not there, or late", () => {
    expect(planHere("ls", { folder: "/elsewhere" })).toBeUndefined();
    expect(planHere("ls", { folder: `${WORKSPACE}/src` })?.folder).toBe(`${WORKSPACE}/src`);
    for (const command of ["cd none && ls", "cd link && ls", "cd ../src && ls", "ls; cd src", "ls | cd src"])
      expect(planHere(command), command).toBeUndefined();
    expect(planHere("cd -P && ls", { kind: () => "folder" })).toBeUndefined();
    expect(planHere("cd src- && ls", { kind: () => "folder" })?.folder).toBe(`${WORKSPACE}/src-`);
  });

  it("is not known to be read-only if a program is missing, or if any command may do more", () => {
    const looks = (...given: Parameters<typeof planHere>) => onlyLooks(planHere(...given));
    expect([looks("ls"), looks("ls | wc; git status"), looks("cd src")]).toEqual([true, true, true]);
    for (const command of ["make", "ls; make", "make; ls", "ls | sh", "tee x | cat", "ls > x"])
      expect(looks(command), command).toBe(false);
    expect(looks("ls", { program: () => undefined })).toBe(false);
  });

  it("is written as a line for a shell", () => {
    const text = (command: string) => planText(planned(command).plan ?? { folder: "", steps: [] });
    const start = `cd -P -- '${WORKSPACE}`;
    expect([
      text("cd src"),
      text("make a | make 'b c' && make; make || make"),
      text("cat < /dev/null 2>&1 > /dev/null"),
      text("make &> /dev/null"),
    ]).toEqual([
      `${start}/src'`,
      `${start}' && { 'make' 'a' | 'make' 'b c' && 'make'; 'make' || 'make'; }`,
      `${start}' && { '/usr/bin/cat' </dev/null 2>&1 1>/dev/null; }`,
      `${start}' && { 'make' 1>/dev/null 2>/dev/null; }`,
    ]);
  });
});
