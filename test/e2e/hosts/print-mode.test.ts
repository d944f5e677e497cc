import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { scripted } from "../../../src/testing/testing.ts";
import { claudeSdkFolder, describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { type AgentMachine, agentMachine, eventsIn, isAlive, listen, ofKind } from "../agent/support.ts";
import { machine } from "../binary.ts";
import { QUIET } from "./support/claude-scene.ts";

const CLAUDE = ["--host", "claude"];
const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command, description: "Do it" } }] });

async function claudeMachine(...replies: Parameters<typeof scripted>): Promise<AgentMachine> {
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
    const { code, stdout, stderr } = await here.worldline([
      "-p",
      "make it",
      "--output-format",
      "json",
      ...CLAUDE,
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    const document = JSON.parse(stdout);
    console.log(document);

    const told = await here.tell("look at it", "-c");
    console.log(told.code, told.stderr);
    for (const e of told.events) console.log(JSON.stringify(e).slice(0, 200));
    console.log(await here.ask("go on and on", "-c", "--max-steps", "1"));
    console.log(here.read("made.txt"));
  });

  it("ends with 130 on Ctrl-C, and leaves no process behind", async () => {
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
    console.log(eventsIn(said.stdout).at(-1));
    expect(await here.ask("go on", "-c")).toMatchObject({ code: 0, answer: "Gone on." });
    expect(ofKind(await here.log(), "host").length).toBeGreaterThan(0);
  });

  it("ends with 41 where there is neither key nor login", async () => {
    const here = machine({
      ...QUIET,
      WORLDLINE_CLAUDE_SDK: claudeSdkFolder(),
      // Nobody listens there.
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    });
    const said = await here.worldline(["-p", "hello", ...CLAUDE]);
    console.log(said);
    expect(said).toMatchObject({ code: 41, stdout: "" });
  });
});

describe("worldline -p --host claude without the SDK", () => {
  it("ends with 42 and says how to install it", async () => {
    const here = machine({ ANTHROPIC_API_KEY: "none" });
    const said = await here.worldline(["-p", "hello", ...CLAUDE]);
    console.log(said);
    expect(said).toMatchObject({ code: 42, stdout: "" });
    expect(said.stderr).toContain("@anthropic-ai/claude-agent-sdk@");
  });
});
