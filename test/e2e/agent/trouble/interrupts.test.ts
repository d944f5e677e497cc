import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import {
  agentMachine,
  endGroup,
  eventsIn,
  isAlive,
  listen,
  OUTPUT,
  ofKind,
  overEveryWire,
  refusedOf,
  resultsIn,
  textOf,
} from "../support.ts";

const STREAM = ["--output-format", "stream-json"];
/** Never resolves, so the client has to give up. */
const forever = new Promise<void>(() => undefined);
const parent: ScriptedReply = {
  calls: [
    {
      name: "Bash",
      input: {
        command:
          "echo $$ > shell; sleep 300 & echo $! > child; (setsid sleep 300 & echo $! > far); echo up; wait",
      },
    },
  ],
};

describe("Ctrl-C over every wire", () => {
  overEveryWire(
    "in the middle of a reply keeps what was said, and the session goes on with -r",
    async (wire) => {
      const long = "The first words of a reply that goes on and on and on for ever.";
      const here = await agentMachine(scripted({ text: long, hold: forever }, { text: "Short." }), { wire });
      const child = here.start(["-p", "tell me everything", ...STREAM]);
      const { said, ended, until } = listen(child);
      await until("stdout", '\n{"type":"text","text":"T');
      child.kill("SIGINT");
      expect([await ended, said.stderr]).toEqual([130, ""]);
      const events = eventsIn(said.stdout);
      expect(events.at(-1)).toMatchObject({ type: "turn-end", outcome: "interrupted", steps: 1 });
      const session = String(events[0]?.["session"]);

      const [reply] = ofKind(await here.log("--session", session), "reply");
      expect(reply).toMatchObject({ end: "interrupted" });
      const kept = JSON.stringify(reply?.parts);
      expect(kept).toContain("The first");
      expect(kept).not.toContain("for ever");
      const resumed = await here.worldline(["-r", session.slice(0, 5), "-p", "shorter, please"]);
      expect(resumed).toMatchObject({ code: 0, stdout: "Short.\n" });
      expect(refusedOf(here)).toEqual([]);
      expect(textOf(here.server.requests[1])).toContain("shorter, please");
    },
  );

  overEveryWire(
    "in the middle of a command ends it with its children, and the session goes on with -r",
    async (wire) => {
      const here = await agentMachine(scripted(parent, { text: "Gone on." }), { wire });
      const child = here.start(["-p", "start something", ...STREAM]);
      const { said, ended, until } = listen(child);
      await until("stdout", OUTPUT);
      const pids = ["shell", "child", "far"].map((name) => Number(here.read(name)));
      expect(pids.map(isAlive)).toEqual([true, true, true]);
      child.kill("SIGINT");
      expect([await ended, said.stderr]).toEqual([130, ""]);
      expect(pids.map(isAlive)).toEqual([false, false, false]);
      const session = String(eventsIn(said.stdout)[0]?.["session"]);
      expect(await here.ask("go on", "-r", session)).toMatchObject({ code: 0, answer: "Gone on." });
      expect(refusedOf(here)).toEqual([]);
      expect(resultsIn(here.server.requests[1])).toEqual([expect.stringContaining("[Interrupted")]);
    },
  );
});

describe("Ctrl-C", () => {
  it("says in the text format how to continue, and prints nothing on standard output", async () => {
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const here = await agentMachine(() => {
      isAsked();
      return { text: "half of it", hold: forever };
    });
    const child = here.start(["-p", "hello"]);
    const { said, ended } = listen(child);
    await asked;
    child.kill("SIGINT");
    expect([await ended, said.stdout]).toEqual([130, ""]);
    expect(said.stderr).toMatch(/worldline resume [0-9a-z]{10}\n$/u);
  });

  it("ends the program at once when it is given twice", async () => {
    const stubborn = {
      calls: [
        {
          name: "Bash",
          input: { command: "trap '' TERM INT; echo $$ > shell; echo up; while :; do sleep 1; done" },
        },
      ],
    };
    const here = await agentMachine(scripted(stubborn));
    const child = here.start(["-p", "hello", ...STREAM]);
    const { ended, until } = listen(child);
    await until("stdout", OUTPUT);
    child.kill("SIGINT");
    child.kill("SIGINT");
    const code = await ended;
    const shell = Number(here.read("shell"));
    endGroup(shell);
    expect([130, null]).toContain(code);
    expect(await here.data("resume")).toMatchObject({ open: { turn: { state: expect.any(String) } } });
  });
});

describe("Ctrl-C while MCP servers are connected to", () => {
  it("leaves none of them running, asks no model, and ends with 130", async () => {
    const silent = { command: "/bin/sh", args: ["-c", "echo $$ > silent; exec sleep 300"] };
    const here = await agentMachine(scripted({ text: "Never." }), {
      files: { ".mcp.json": JSON.stringify({ mcpServers: { silent } }) },
    });
    expect(await here.worldline(["config", "trust"])).toMatchObject({ code: 0 });
    const child = here.start(["-p", "hello"]);
    const { said, ended } = listen(child);
    while (!here.read("silent")?.endsWith("\n")) await setTimeout(10);
    const pid = Number(here.read("silent"));
    child.kill("SIGINT");
    const code = await ended;
    const wasAlive = isAlive(pid);
    endGroup(pid);
    expect([code, wasAlive, said.stdout]).toEqual([130, false, ""]);
    expect(said.stderr).toContain("Canceled; nothing was sent to the model.");
    expect(here.server.requests).toEqual([]);
  });
});

describe("the reader of standard output", () => {
  it("may leave before the answer is printed, which fails nothing", async () => {
    const here = await agentMachine(scripted({ text: "A long answer. ".repeat(10_000), delayMs: 100 }));
    const child = here.start(["-p", "hello"]);
    const { said, ended } = listen(child);
    child.stdout.destroy();
    expect(await ended).toBe(0);
    expect(said.stderr).not.toContain("EPIPE");
    expect(ofKind(await here.log(), "reply").length).toBe(1);
  });
});
