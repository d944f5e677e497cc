import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolshed } from "../support/toolshed.ts";

const textResult = (outcome: string, text: string) => ({ outcome, text, parts: [{ type: "text", text }] });

/** The result of a command that ended and left no process running. */
const endedResult = (outcome: string, text: string) => ({
  ...textResult(outcome, text),
  processes: { endedAt: expect.any(Number) },
});

describe("Bash", () => {
  it("answers with everything that was printed, both streams in order", async () => {
    const { call } = toolshed();
    const said = await call("Bash", { command: "echo one; echo two >&2; echo three; echo four >&2" });
    expect(said).toEqual(endedResult("ok", "one\ntwo\nthree\nfour"));
  });

  it("says the exit code when it is not 0, and the signal", async () => {
    const { call } = toolshed();
    expect(await call("Bash", { command: "echo no; exit 3" })).toEqual(
      endedResult("error", "no\n[Exit code 3]"),
    );
    expect(await call("Bash", { command: "kill -9 $$" })).toEqual(endedResult("error", "[Ended by SIGKILL]"));
    expect(await call("Bash", { command: "true" })).toEqual(endedResult("ok", "(No output.)"));
  });

  it("passes on bash's message about an unknown command", async () => {
    const { call } = toolshed();
    const said = await call("Bash", { command: "if then" });
    expect(said.outcome).toBe("error");
    expect(said.text).toContain("syntax error");
  });

  it("starts each command in the workspace, with nothing to read", async () => {
    const { call, workspace } = toolshed();
    await call("Bash", { command: "cd / && export LEFT=1" });
    const said = await call("Bash", { command: 'pwd; echo "[$LEFT]"; cat', description: "Look around" });
    expect(said.text).toBe(`${workspace}\n[]`);
  });

  it("gives no colors, no pagers and no keys of providers to commands", async () => {
    const environment = {
      PATH: process.env["PATH"],
      FORCE_COLOR: "3",
      ANTHROPIC_API_KEY: "secret",
      ANTHROPIC_AUTH_TOKEN: "secret",
      OPENAI_API_KEY: "secret",
      OPENROUTER_API_KEY: "secret",
      STRIPE_API_KEY: "needed by the project",
    };
    const { call } = toolshed({ environment });
    const said = await call("Bash", {
      command: "env | grep -v -e ^_= -e ^PWD= -e ^SHLVL= -e ^OLDPWD= | sort",
    });
    expect(said.text.replace(/(WORLDLINE_COMMAND)=.*/, "$1=mark").split("\n")).toEqual(
      [
        "GIT_PAGER=cat",
        "GIT_TERMINAL_PROMPT=0",
        "NO_COLOR=1",
        "PAGER=cat",
        `PATH=${environment.PATH}`,
        "STRIPE_API_KEY=needed by the project",
        "TERM=dumb",
        "WORLDLINE=1",
        "WORLDLINE_COMMAND=mark",
      ].sort(),
    );
  });

  it("gives no variable to commands that settings name as a provider's key", async () => {
    const environment = { PATH: process.env["PATH"], HOUSE_LLM: "secret", HOUSE: "open" };
    const { call } = toolshed({ environment, secretVariables: ["HOUSE_LLM"] });
    expect((await call("Bash", { command: "env | grep ^HOUSE" })).text).toBe("HOUSE=open");
  });

  it("tells what is printed while the command runs", async () => {
    const { call, workspace } = toolshed();
    const live: string[] = [];
    const command = "echo first; until [ -e go ]; do sleep 0.02; done; echo last";
    // The command ends only if its first line reaches this listener.
    const onOutput = (text: string) => {
      live.push(text);
      writeFileSync(join(workspace, "go"), "");
    };
    expect((await call("Bash", { command }, { onOutput })).text).toBe("first\nlast");
    expect(live).toEqual(["first\n", "last\n"]);
  });

  it("shows bytes that are not UTF-8, control characters and split characters safely", async () => {
    const { call } = toolshed();
    const said = await call("Bash", {
      command: String.raw`printf 'a\xff\x00b\x1b[31mred\r\n\xe2\x82'; sleep 0.05; printf '\xac 10%%\r20%%\n'`,
    });
    expect(said.text).toBe("a\ufffd\u2400b\u241b[31mred\n€ 10%\n20%");
  });

  it("shows both ends of 10 MB and keeps all of it in a file", async () => {
    const { call, outside } = toolshed();
    let live = 0;
    const said = await call(
      "Bash",
      { command: "echo begin; yes 0123456789abcde | head -c 10485760; echo end" },
      { onOutput: (text) => (live += text.length) },
    );
    const path = join(outside, "call-1.txt");
    expect(said.outcome).toBe("ok");
    expect(said.text.length).toBeLessThan(30_400);
    expect(said.text.startsWith("begin\n0123456789abcde\n")).toBe(true);
    expect(said.text.endsWith("0123456789abcde\nend")).toBe(true);
    expect(said.text).toContain(`characters omitted; the full output is in ${path}. Search it with Grep`);
    expect(statSync(path).size).toBe(10_485_760 + 10);
    expect(readFileSync(path, "latin1").endsWith("0123456789abcde\nend\n")).toBe(true);
    expect(live).toBeLessThan(1_001_000);
  });

  it("says so when the full output could not be saved", async () => {
    const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
    const { call } = toolshed({ keepOutput: async () => Promise.reject(full) });
    const said = await call("Bash", { command: "yes | head -c 100000" });
    expect(said.text).toContain("the full output could not be saved: the disk is full");
  });

  it("stays within its bounds when the output never ends", async () => {
    let kept = 0;
    const { call } = toolshed({
      keepOutput: async (_, bytes) => {
        kept += bytes.length;
        return "somewhere";
      },
    });
    const before = process.memoryUsage().rss;
    const said = await call("Bash", { command: "yes", timeout: 1_500 });
    expect(said.outcome).toBe("error");
    expect(said.text).toContain(
      "[Timed out after 1,500 ms. The command and everything that it started were stopped.]",
    );
    expect(said.text.length).toBeLessThan(31_000);
    expect(kept).toBeLessThanOrEqual(64 * 1_024 * 1_024);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1_024 * 1_024);
  });

  it("says that a command is too long, or that the workspace is gone", async () => {
    const { call, workspace } = toolshed();
    const long = await call("Bash", { command: `: ${"x".repeat(200_000)}` });
    expect(long).toEqual(
      textResult("error", "The command is too long to run. Write it to a file first, and run the file."),
    );
    rmSync(workspace, { recursive: true });
    const gone = await call("Bash", { command: "true" });
    expect(gone).toEqual(textResult("error", `The workspace ${workspace} no longer exists.`));
  });

  it("does nothing when it was interrupted before", async () => {
    const { call, workspace } = toolshed();
    const said = await call("Bash", { command: "touch made" }, { signal: AbortSignal.abort() });
    expect(said).toEqual(textResult("interrupted", "Interrupted before the command was started."));
    expect(existsSync(join(workspace, "made"))).toBe(false);
  });

  it("names the command as what it is about", async () => {
    const { subjects } = toolshed();
    expect(await subjects("Bash", { command: "rm -rf x\nls" })).toMatchObject([
      { kind: "command", command: "rm -rf x\nls" },
    ]);
  });

  it("is also about where the links lead that it names", async () => {
    const { subjects, workspace, outside } = toolshed();
    mkdirSync(join(workspace, "src/deep"), { recursive: true });
    mkdirSync(join(outside, "far"));
    writeFileSync(join(workspace, "src/a"), "");
    symlinkSync(join(outside, "far"), join(workspace, "src/link"));
    symlinkSync("src/a", join(workspace, "near"));
    symlinkSync("/usr/bin/env", join(workspace, "python"));
    const led = async (command: string) =>
      (await subjects("Bash", { command })).flatMap((each) => (each.kind === "path" ? [each.path] : []));
    expect(await led("cat src/a src/none 'no such' *.x $HOME /etc/hosts")).toEqual([]);
    expect(await led("cat src/link/x && ls near")).toEqual([
      join(outside, "far/x"),
      join(workspace, "src/a"),
    ]);
    expect(await led("sudo bash -c 'grep x --file=src/link/y'")).toEqual([join(outside, "far/y")]);
    expect(await led("echo x > src/link/new")).toEqual([join(outside, "far/new"), join(outside, "far/new")]);
    expect(await led("cat src/link/../x src/link/..")).toEqual([join(outside, "x"), outside]);
    expect(await led("./python -m near | python near")).toEqual([join(workspace, "src/a")]);
  });

  it("runs a command of many lines, quotes and here-documents as it is", async () => {
    const { call, workspace } = toolshed();
    writeFileSync(join(workspace, "a b"), "content\n");
    const command = `cat "a b" <(echo sub) <<'EOF'\nunused\nEOF\n# a comment\necho 'it'"'"'s $HOME'`;
    expect((await call("Bash", { command })).text).toBe("content\nsub\nit's $HOME");
  });
});
