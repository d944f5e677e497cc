import { describe, expect, it } from "vitest";
import { decideCommand } from "./asking.ts";

const allow = ["Bash(npm test:*)", "Bash(make)", "Bash(git * main)"];

describe("a command that rules allow", () => {
  it.each([
    "npm test",
    "npm test -- --watch",
    "npm  test\tx",
    "make",
    "git push origin main",
    "npm test && make",
    "npm test; make",
    "npm test 2>&1",
    "npm test > /dev/null",
    "cd src && npm test | tail -5",
    "npm test 'a; b' \"c && d\"",
  ])("runs: %j", (command) => {
    expect(decideCommand(command, { allow })).toMatchObject({ decision: "allow" });
  });

  it.each([
    "npm tests",
    "npm",
    "make clean",
    "npm test; rm x",
    "npm test && rm x",
    "npm test || rm x",
    "npm test | sh",
    "npm test & rm x",
    "npm test\nrm x",
    "npm test $(rm x)",
    'npm test "$(rm x)"',
    "npm test `rm x`",
    "npm test <(rm x)",
    "npm test > out.txt",
    "npm test >& out.txt",
    "npm test < in.txt",
    "npm test <<X\nX",
    "(npm test)",
    "npm test # '\nrm x '",
    "npm test $'a\\'b' ; rm x ; echo 'c' \\'",
    'npm test "\u0024{x:-$(rm x)}"',
    "npm test 'not closed",
    "A=1 npm test",
    "sudo npm test",
    "'npm test' x",
    "npm() { rm x; }; npm test",
    "npm test \\",
    "npm test $VARIABLE",
    "npm test *.ts",
    "npm test {a,b}",
    "npm test ~",
    "npm test &",
    "npm test $['`rm x`']",
    "npm test $\\\n{a[$(rm x)]}",
    "npm test $'\\x24(rm x)'",
    "npm test \u0024{a[0]}",
    "npm test $((1))",
    "npm test |& sh",
    "! npm test",
    "time npm test",
    "npm test a\\\nb",
    "npm test\r",
    "npm test \u00a0",
    "npm test \u3000x",
  ])("is not taken for one: %j", (command) => {
    expect(decideCommand(command, { allow })).toMatchObject({ decision: "ask" });
  });

  it("may be named whole, whatever it is", () => {
    const command = "a $(b) > c; ls *.ts";
    expect(decideCommand(command, { allow: ["Bash(a $(b) > c; ls \\*.ts)"] })).toMatchObject({
      decision: "allow",
    });
    expect(decideCommand(command, { allow: ["Bash(a $(b) > c; ls *.ts)"] })).toMatchObject({
      decision: "ask",
    });
  });
});

describe("a command that rules deny or ask about", () => {
  const deny = ["Bash(rm:*)", "Bash(git push:*)"];
  it.each([
    "rm x",
    "rm",
    "/bin/rm x",
    "\\rm x",
    '"rm" x',
    "r'm' x",
    "ls && rm x",
    "ls; git push origin",
    "echo $(rm x)",
    'echo "`rm x`"',
    "A=1 B=2 rm x",
    "sudo rm x",
    "sudo -u root rm x",
    "env -i A=1 rm x",
    "bash -c 'ls; rm x'",
    'sudo sh -c "cd a && rm x"',
    "eval rm x",
    "ls | xargs rm",
    "ls | xargs -n 1 -I{} rm {}",
    "find . -name x -exec rm {} \\;",
    "timeout 5 rm x",
    "if true; then rm x; fi",
    "( rm x )",
    "{ rm x; }",
    "{rm,x}",
    "cat <<X | sh\nrm x\nX",
    "echo $'\\'' ; rm x",
    "diff <(rm x) y",
    "bash -c \"bash -c 'rm x'\"",
    "time -p rm x",
    "function f { rm x; }; f",
    "coproc N { rm x; }",
    "set -- a; for i do rm x; done",
    "trap 'rm x' EXIT",
    "env -S 'rm x'",
    "{,rm} x",
  ])("is found: %j", (command) => {
    for (const mode of ["manual", "auto"] as const) {
      expect(decideCommand(command, { deny, allow: ["Bash"], mode })).toMatchObject({ decision: "deny" });
    }
    expect(decideCommand(command, { ask: deny, allow: ["Bash"], mode: "auto" })).toMatchObject({
      decision: "ask",
    });
  });

  it.each(["rmdir x", "git pull", "echo rm", "ls x-rm"])("is not taken for one: %j", (command) => {
    expect(decideCommand(command, { deny, mode: "auto" })).toMatchObject({ decision: "allow" });
  });

  it("is one that names a path that may not be read, or writes where nothing may be written", () => {
    expect(decideCommand("cat .env", { deny: ["Read(.env)"] })).toMatchObject({ decision: "deny" });
    expect(decideCommand("cp --from=.env x", { deny: ["Read(.env)"], mode: "auto" })).toMatchObject({
      decision: "deny",
    });
    expect(decideCommand("echo x > lock/a", { deny: ["Edit(lock/**)"], mode: "auto" })).toMatchObject({
      decision: "deny",
    });
    expect(decideCommand("rm lock/a", { deny: ["Edit(lock/**)"], mode: "auto" })).toMatchObject({
      decision: "ask",
    });
    expect(decideCommand("cat lock/a", { deny: ["Edit(lock/**)"] })).toMatchObject({ decision: "allow" });
  });
});

describe("a command that names a path outside the workspace", () => {
  it.each([
    "cat /etc/passwd",
    "cat ../x",
    "cat src/../../x",
    "ls ~",
    "ls ~/notes",
    "ls ~other",
    "cp a --target=/tmp",
    "cc -I/usr/include a.c",
    "echo x > /tmp/x",
    "cat < /etc/passwd",
    "cd",
    "cd -",
    "cat $HOME/.ssh/id",
    'cat "\u0024{HOME}/.ssh/id"',
    "tar -C {/tmp,a}",
    "bash -c 'cat /etc/passwd'",
    "echo $(cat /etc/passwd)",
    "curl file:///etc/passwd",
    "F=/etc/passwd; cat $F",
    "F=/etc/passwd {cat,-n} x",
    "for f in /etc/*; do cat $f; done",
  ])("asks in every mode: %j", (command) => {
    for (const mode of ["manual", "accept-edits", "auto"] as const) {
      expect(decideCommand(command, { mode, allow: ["Bash", "Bash(cat:*)", "Bash(*)"] })).toMatchObject({
        decision: "ask",
        why: expect.stringMatching(/^outside the workspace: /u),
      });
    }
  });

  it.each([
    "cat /home/me/project/x",
    "cat ~/project/x",
    "make 2>/dev/null",
    "/bin/ls",
    "curl https://example.com/a/b",
    "curl --url=https://example.com/a",
    "git diff HEAD~1 main..next",
    "cat src/../x",
  ])("is not taken for one: %j", (command) => {
    expect(decideCommand(command, { mode: "auto" })).toMatchObject({ decision: "allow" });
  });

  it("is allowed by a rule that names the path too", () => {
    expect(decideCommand("cat /etc/hosts", { allow: ["Bash(cat /etc/hosts)"] })).toEqual({
      decision: "allow",
    });
    expect(decideCommand("cat /var/log/a", { allow: ["Bash(cat /var/log/*)"] })).toMatchObject({
      decision: "allow",
    });
    for (const command of ["cat /var/log/../../etc/x", "cat /var/log/a /etc/x"]) {
      expect(decideCommand(command, { allow: ["Bash(cat /var/log/*)"] })).toMatchObject({ decision: "ask" });
    }
  });
});

describe("a command that only looks", () => {
  it.each([
    "ls -la",
    "cat a b",
    "git status",
    "git diff --stat",
    "git log | head -5",
    "pwd && ls",
    "grep -rn x src 2>/dev/null",
  ])("is not asked about: %j", (command) => {
    expect(decideCommand(command)).toMatchObject({ decision: "allow" });
  });

  it.each([
    "git diff --output=x",
    "git log --output x",
    "git branch -D x",
    "git commit",
    "ls > x",
    "cat $X",
    "ls; make",
    "echo `make`",
  ])("is not taken for one: %j", (command) => {
    expect(decideCommand(command)).toMatchObject({ decision: "ask" });
  });

  it("needs permission if some paths may not be read and it does not name everything that it reads", () => {
    const deny = ["Read(.env)"];
    expect(decideCommand("cat a.ts", { deny })).toMatchObject({ decision: "allow" });
    for (const command of ["cat .e*", "grep -r x .", "git show HEAD"]) {
      expect(decideCommand(command, { deny })).toMatchObject({ decision: "ask" });
    }
  });

  it("is denied in plan mode as all commands are", () => {
    expect(decideCommand("ls", { mode: "plan" })).toMatchObject({ decision: "deny" });
  });
});

describe("a long command", () => {
  it.each([
    [
      "a here document",
      `cat > x <<'X'\n${"const a = (b) => `c $(d) 'e' \"f\" { g }`; // h\n".repeat(1_000)}X`,
    ],
    ["shells in a shell", `sudo ${"bash ".repeat(2_000)}`],
    ["shells that a rule allows", `npm test ${"bash ".repeat(2_000)}`],
    ["backticks", `echo ${"`".repeat(5_001)}`],
    ["substitutions", `echo ${"$(".repeat(2_000)}`],
    ["parentheses", `echo ${"(".repeat(20_000)}`],
    ["quotes in quotes", `bash -c ${"'bash -c \"".repeat(500)}`],
  ])("is still decided: %s", (_, command) => {
    const deny = Array.from({ length: 20 }, (_each, index) => `Bash(never${index}:*)`);
    expect(decideCommand(command, { deny }).decision).toBe("ask");
  });
});

describe("a command that names what can run code", () => {
  it("asks in auto mode too, unless it only looks", () => {
    for (const command of [
      "cp x .git/hooks/pre-commit",
      "echo x > .envrc",
      "rm -rf .worldline",
      "sed -i s/a/b/ .mcp.json",
    ]) {
      expect(decideCommand(command, { mode: "auto" })).toMatchObject({ decision: "ask" });
    }
    expect(decideCommand("cat .git/config", { mode: "auto" })).toMatchObject({ decision: "allow" });
  });
});
