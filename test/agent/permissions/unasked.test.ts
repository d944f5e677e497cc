import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Decision, decide } from "../../../src/agent/permissions/decide.ts";
import { planText } from "../../../src/agent/permissions/unasked/plan.ts";
import { commandSubjects } from "../../../src/agent/tools/bash/run-plan.ts";
import type { PermissionMode } from "../../../src/ports/person.ts";
import { type TempFolder, tempFolder } from "../../../src/testing/temp-folder.ts";
import { buildRange, type Range, run } from "./fuzz/range.ts";

let folder: TempFolder;
let range: Range;
beforeAll(() => {
  folder = tempFolder();
  range = buildRange(folder.path);
});
afterAll(() => folder.remove());

async function decideHere(
  command: string,
  mode: PermissionMode = "manual",
  { workspace = range.workspace, ...rules }: { allow?: string[]; deny?: string[]; workspace?: string } = {},
): Promise<Decision> {
  return decide({
    tool: "Bash",
    reach: "anything",
    subjects: await commandSubjects({ workspace, environment: range.environment }, command),
    mode,
    rules: { allow: [], ask: [], deny: [], ...rules },
    workspace,
    granted: [],
    home: range.root,
  });
}

async function outputOf(command: string): Promise<string> {
  const decision = await decideHere(command);
  if (decision.decision !== "allow") return decision.decision;
  return (await run(range, command, decision.plan)).output;
}

describe("a command that only looks", () => {
  it("runs by its words, with pipes, joints and redirections as a shell has them", async () => {
    expect(await outputOf("cat a.txt | tr a-z A-Z | head -1")).toBe("CHANGED\n");
    expect(await outputOf("cat none 2>/dev/null || echo 'no  such' && echo \"it's\" \\*")).toBe(
      "no  such\nit's *\n",
    );
    expect(await outputOf("false && echo a; cat none 2>&1 | wc -l")).toBe("1\n");
    expect(await outputOf("cd src && pwd")).toBe(`${range.workspace}/src\n`);
    expect(await outputOf("grep -rn text . | sort | head -1")).toMatch(/^\.\//u);
    expect(await outputOf("find . -name '*.ts'")).toBe("./src/b.ts\n");
    expect(await outputOf("sed -n 1,2p a.txt; echo ''")).toBe("changed\n\n");
  });

  it("uses no program of the workspace, even if its folder comes first in PATH", async () => {
    expect(await outputOf("ls src")).toBe("b.ts\n");
  });

  it("shows the repository without running what its configuration names", async () => {
    expect(await outputOf("git status --short a.txt")).toBe(" M a.txt\n");
    expect(await outputOf("git diff")).toContain("-text\n+changed\n");
    expect(await outputOf("git log --oneline -p | wc -l")).toMatch(/^\s*\d+\n$/u);
    expect(await outputOf("git -C src log --format=%s")).toBe("first\n");
  });

  it.each([
    "test -v 'a[$(evil)]'",
    "[ -v 'a[$(evil)]' ]",
    "cd bare && git status",
    "git -C bare status",
    "git --git-dir=bare status",
    "git diff --output=x",
    "git diff --outpu{t..t}=x",
    "git diff --no-index a.txt ../secret",
    "git diff -U --output=x",
    "git log '--format=%G?'",
    "git config -l",
    "cd -P && cat .worldline/keys.json",
    "cd -- && ls",
    "cd up && ls",
    "cat {.,}./secret",
    "cat x://../../secret",
    "cat up/secret",
    "cat src/../up/../secret",
    `cat ${"a.txt ".repeat(250)}link`,
    "cat pipe",
    "diff src deep",
    "grep -R x .",
    "ls -L .",
    "tail -f a.txt",
    "sed -n 1e a.txt",
    "uniq a.txt b",
    "npm --version",
    "ls & evil",
    "tail +1f a.txt",
    "grep text pipe",
    "cat src",
    "cd -P && pwd",
    "cd src- && pwd",
    "cd a.txt && pwd",
  ])("asks: %j", async (command) => {
    expect(await decideHere(command)).toMatchObject({ decision: "ask" });
  });

  it("asks if a path is written in full, and is a pipe, a folder or outside", async () => {
    for (const path of ["pipe", "src", "up/../secret", "up/secret"])
      expect(await decideHere(`cat ${range.workspace}/${path}`), path).toMatchObject({ decision: "ask" });
    expect(await outputOf(`cat ${range.workspace}/src/../a.txt`)).toBe("changed\n");
  });

  it("reads the empty device, and passes operands on that look like other paths", async () => {
    expect(await outputOf("grep -Hn text src/b.ts /dev/null")).toBe("src/b.ts:1:text\n");
    expect(await outputOf("find . -name pipe")).toBe("./pipe\n");
  });

  it("uses no repository above the one that was checked, even if git does not accept that one", async () => {
    mkdirSync(join(range.workspace, "void/.git"), { recursive: true });
    expect(await outputOf("cd void && git log")).toMatch(/^fatal: not a git repository/u);
    expect(await outputOf("git -C void status")).toMatch(/^fatal: not a git repository/u);
  });

  it("asks where git would run filters, or the repository is elsewhere", async () => {
    const own = tempFolder();
    const other = buildRange(own.path);
    try {
      const status = async () =>
        (await decideHere("git status", "manual", { workspace: other.workspace })).decision;
      expect(await status()).toBe("allow");
      const config = join(other.workspace, ".git/config");
      const git = ["config", "-f", config];
      execFileSync("git", [...git, "filter.x.clean", "evil"]);
      expect(await status()).toBe("ask");
      execFileSync("git", [...git, "--remove-section", "filter.x"]);
      expect(await status()).toBe("allow");
      writeFileSync(join(other.workspace, ".git/commondir"), `${range.workspace}/.git\n`);
      expect(await status()).toBe("ask");
      rmSync(join(other.workspace, ".git/commondir"));
      rmSync(join(other.workspace, ".git/info"), { recursive: true, force: true });
      mkdirSync(join(other.workspace, ".git/info"));
      expect(await status()).toBe("allow");
      symlinkSync(join(range.root, "secret"), join(other.workspace, ".git/info/attributes"));
      expect(await status()).toBe("ask");
      rmSync(join(other.workspace, ".git"), { recursive: true });
      writeFileSync(join(other.workspace, ".git"), `gitdir: ${range.workspace}/.git\n`);
      expect(await status()).toBe("ask");
      rmSync(join(other.workspace, ".git"));
      symlinkSync(join(range.workspace, ".git"), join(other.workspace, ".git"));
      expect(await status()).toBe("ask");
    } finally {
      own.remove();
    }
  });

  it("is, for another agent's shell, a line in which that finds nothing to expand", async () => {
    const decision = await decideHere("cd src; git status --short b.ts && echo 'a$(evil)' \"it's\" 2>&1");
    const text = decision.decision === "allow" && decision.plan !== undefined ? planText(decision.plan) : "";
    expect(text).toMatch(/^cd -P -- '.*\/src' && \{ '\/usr\/bin\/env' 'GIT_/u);
    expect(text).toContain(`&& '/usr/bin/echo' 'a$(evil)' 'it'\\''s' 2>&1; }`);
    expect(execFileSync("bash", ["-c", text], { encoding: "utf8", env: range.environment })).toBe(
      "a$(evil) it's\n",
    );
  });
});

describe("a command that a rule allows", () => {
  it("runs by its words, and git finds no bare repository among the files", async () => {
    const allow = ["Bash(npm test:*)", "Bash(git:*)"];
    const decision = await decideHere("npm test 'a b' && git commit -m x", "manual", { allow });
    const text = decision.decision === "allow" && decision.plan !== undefined ? planText(decision.plan) : "";
    expect(text).toContain(
      "'npm' 'test' 'a b' && 'git' '-c' 'safe.bareRepository=explicit' 'commit' '-m' 'x'",
    );
  });
});

describe("auto mode", () => {
  it.each([
    "sort -o../f a.txt",
    "cp a.txt x://../../f",
    "cd -- && make",
    "cd -P && make",
    "echo x > hooks/pre-commit",
    "cp a.txt hooks/x",
    "make link",
    "make {.,}./secret",
    `make ${"a.txt ".repeat(250)}link`,
    `sudo ${"bash ".repeat(2_000)}`,
    "cp a.txt dangling",
    "make > dangling",
    "make --out=up/../f",
    "make > up/../f",
    "cp a.txt up/..",
    "svn log .git/config",
  ])("asks: %j", async (command) => {
    expect(await decideHere(command, "auto")).toMatchObject({ decision: "ask" });
  });

  it("asks about other processes and devices where the workspace is the root", async () => {
    for (const command of ["cat /proc/1/environ", "cat /proc/*/environ", "cat /dev/sda", "ls /sys"])
      expect(await decideHere(command, "auto", { workspace: "/" })).toMatchObject({ decision: "ask" });
  });

  it("does what was asked for elsewhere", async () => {
    for (const command of ["make > out", "sort -o f a.txt", "cp a.txt b", "npm test $X &"])
      expect(await decideHere(command, "auto")).toEqual({ decision: "allow" });
  });
});

describe("rules that deny reading", () => {
  it("hold after cd too", async () => {
    const deny = ["Read(src/b.ts)"];
    expect(await decideHere("cd src && cat b.ts", "manual", { deny })).toMatchObject({ decision: "deny" });
    expect(await decideHere("cd deep/er && cat d.txt", "manual", { deny })).toMatchObject({
      decision: "allow",
    });
  });
});
