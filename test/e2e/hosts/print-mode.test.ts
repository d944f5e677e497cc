import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../src/testing/testing.ts";
import { claudeSdkFolder, describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { type AgentMachine, agentMachine, eventsIn, isAlive, listen } from "../agent/support.ts";
import { machine } from "../binary.ts";
import { QUIET } from "./support/claude-scene.ts";

const CLAUDE = ["--host", "claude"];
const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command, description: "Do it" } }] });
const USAGE = {
  input: expect.any(Number),
  output: expect.any(Number),
  cacheRead: expect.any(Number),
  cacheWrite: expect.any(Number),
};

async function claudeMachine(...replies: readonly ScriptedReply[]): Promise<AgentMachine> {
  return agentMachine(scripted(...replies), {
    environment: { ...QUIET, WORLDLINE_CLAUDE_SDK: claudeSdkFolder() },
  });
}

describeWithClaude("worldline -p --host claude", () => {
  it("is one document as json, a line for each event as stream-json, and ends with 53 at the step limit", async () => {
    const here = await claudeMachine(
      bash("echo made > made.txt"),
      { text: "It is made." },
      { thinking: "Once more.", text: "I look.", ...bash("cat made.txt") },
      { text: "It is there." },
      bash("echo 1 >> made.txt"),
      bash("echo 2 >> made.txt"),
    );
    const { code, stdout, stderr } = await here.worldline(["-p", "make it", "--json", ...CLAUDE]);
    expect([code, stderr]).toEqual([0, ""]);
    const document = JSON.parse(stdout);
    expect(document).toEqual({
      session: expect.stringMatching(/^[0-9a-z]{10}$/u),
      model: expect.stringMatching(/^anthropic\/claude-/u),
      outcome: "done",
      answer: "It is made.",
      steps: 2,
      backtracks: 0,
      cards: [],
      milliseconds: expect.any(Number),
      usage: USAGE,
      cost: expect.any(Number),
      files: [{ path: "made.txt", change: "created", added: 1, removed: 0 }],
      moreFiles: 0,
      denied: [],
      plan: null,
      error: null,
      resume: `worldline -r ${document.session} "..."`,
    });

    const told = await here.tell("look at it", "-c");
    expect([told.code, told.stderr]).toEqual([0, ""]);
    expect(told.events[0]).toMatchObject({
      type: "session",
      session: document.session,
      resumed: "resumed",
      host: "claude",
      mode: "auto",
    });
    const pieces = (type: string): string =>
      told.events.flatMap((event) => (event.type === type ? [event["text"]] : [])).join("");
    expect([pieces("thinking"), pieces("text")]).toEqual(["Once more.", "I look.It is there."]);
    expect(told.events.at(-1)).toEqual({
      type: "turn-end",
      outcome: "done",
      answer: "It is there.",
      steps: 2,
      backtracks: 0,
      milliseconds: expect.any(Number),
      usage: USAGE,
      cost: expect.any(Number),
    });
    const entries = told.events.flatMap((event) => (event.type === "entry" ? [event["entry"]] : []));
    const log = await here.log();
    expect(log.slice(-entries.length)).toEqual(entries);

    expect(await here.ask("go on and on", "-c", "--max-steps", "1")).toMatchObject({
      code: 53,
      outcome: "step-limit",
      steps: 1,
      error: { code: "STEP_LIMIT" },
      resume: `worldline resume ${document.session}`,
    });
    expect(here.read("made.txt")).toBe("made\n1\n");
  });

  it("exits with 130 on Ctrl-C, and leaves no process running", async () => {
    const here = await claudeMachine(
      bash("echo $PPID > claude; sleep 300 & echo $! > child; echo $$ > shell; wait"),
      { text: "Gone on." },
    );
    const child = here.start(["-p", "wait", "--output-format", "stream-json", ...CLAUDE]);
    const { said, ended } = listen(child);
    while (!here.read("shell")?.endsWith("\n")) await setTimeout(10);
    const pids = ["claude", "child", "shell"].map((name) => Number(here.read(name)));
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    child.kill("SIGINT");
    expect([await ended, said.stderr]).toEqual([130, ""]);
    expect(pids.map(isAlive)).toEqual([false, false, false]);
    expect(eventsIn(said.stdout).at(-1)).toMatchObject({ type: "turn-end", outcome: "interrupted" });
    expect(await here.ask("go on", "-c")).toMatchObject({ code: 0, answer: "Gone on." });
  });

  it("ends with 41 where there is neither key nor login", async () => {
    const here = machine({
      ...QUIET,
      WORLDLINE_CLAUDE_SDK: claudeSdkFolder(),
      // An address that nothing listens on.
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    });
    const said = await here.worldline(["-p", "hello", ...CLAUDE]);
    expect(said).toMatchObject({ code: 41, stdout: "" });
    expect(said.stderr).toContain("hint: Set ANTHROPIC_API_KEY, or log in with `claude`");
  });
});

describe("worldline -p --host claude without the SDK", () => {
  it("ends with 42 and says how to install it", async () => {
    const here = machine({ ANTHROPIC_API_KEY: "none" });
    const said = await here.worldline(["-p", "hello", ...CLAUDE]);
    expect(said).toMatchObject({ code: 42, stdout: "" });
    expect(said.stderr).toMatch(/hint: Install it: `npm install .*@anthropic-ai\/claude-agent-sdk@/u);
  });
});
