import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../src/testing/testing.ts";
import { agentMachine, eventsIn, listen, OUTPUT } from "./support.ts";

const sleeping: ScriptedReply = { calls: [{ name: "Bash", input: { command: "echo begun; sleep 60" } }] };

describe("the built command line as an agent", () => {
  it("answers on standard output", async () => {
    const { worldline } = await agentMachine(scripted({ text: "Hello." }));
    expect(await worldline(["-p", "hello there"])).toMatchObject({ code: 0, stdout: "Hello.\n" });
  });

  it("sends no single word to the model unless it is marked as a prompt", async () => {
    const { worldline, server } = await agentMachine(() => ({ text: "Hello." }));
    for (const word of ["undo", "mcp", "update", "branch", "zzzzzz"]) {
      const { code, stdout, stderr } = await worldline([word]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(`There is no command "worldline ${word}".`);
      expect(stderr).toContain(`To send this text to the agent, run: worldline -- ${word}\n`);
    }
    expect(JSON.parse((await worldline(["undo", "--json"])).stdout)).toEqual({
      error: {
        code: "USAGE",
        message: 'There is no command "worldline undo".',
        hint: "Did you mean `worldline rewind`? To send this text to the agent, run: worldline -- undo",
        reason: "command-or-prompt-unknown",
        params: { given: "undo", meant: { command: "rewind" } },
      },
    });
    expect((await worldline(["sessions", "rm"])).stderr).toContain("Did you mean: worldline sessions delete");
    expect((await worldline(["store", "foo"])).code).toBe(2);
    expect(server.requests).toEqual([]);
    for (const words of [["--", "undo"], ["-p", "undo"], ["修复登录测试"]])
      expect(await worldline(words)).toMatchObject({ code: 0, stdout: "Hello.\n" });
  });

  it.each(["SIGTERM", "SIGHUP"] as const)("is interrupted in order by %s", async (signal) => {
    const { start, worldline } = await agentMachine(scripted(sleeping, { text: "Gone on." }));
    const child = start(["-p", "sleep a while", "--output-format", "stream-json"]);
    const { said, ended, until } = listen(child);
    await until("stdout", OUTPUT);
    child.kill(signal);
    expect([await ended, said.stderr]).toEqual([130, ""]);
    const events = eventsIn(said.stdout);
    expect(events[0]).toMatchObject({ type: "session" });
    expect(events.at(-1)).toMatchObject({ type: "turn-end", outcome: "interrupted" });
    const resumed = await worldline(["resume", String(events[0]?.["session"]), "--continue"]);
    expect(resumed).toMatchObject({ code: 0, stdout: "Gone on.\n" });
  });

  it("ends quietly when its reader leaves, and the turn with it", async () => {
    const command = "for i in $(seq 600); do echo line $i; sleep 0.1; done";
    const { start } = await agentMachine(scripted({ calls: [{ name: "Bash", input: { command } }] }));
    const child = start(["-p", "count", "--output-format", "stream-json"]);
    const { said, ended, until } = listen(child);
    await until("stdout", OUTPUT);
    child.stdout.destroy();
    expect(await ended).toBe(130);
    expect(said.stderr).toBe("");
  });

  it("leaves no files with --no-session", async () => {
    const { home, worldline } = await agentMachine(scripted({ text: "Hello." }));
    const said = await worldline(["-p", "hello there", "--no-session"]);
    expect(said).toMatchObject({ code: 0, stdout: "Hello.\n" });
    expect(existsSync(home)).toBe(false);
  });
});
