import { describe, expect, onTestFinished } from "vitest";
import { type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import {
  agentMachine,
  endGroup,
  isAlive,
  listen,
  OUTPUT,
  ofKind,
  overEveryWire,
  refusedOf,
  resultsIn,
} from "../support.ts";

const counting: ScriptedReply = {
  calls: [
    { name: "Bash", input: { command: "echo ran >> count.txt; echo $$ > pid; echo begun; sleep 60" } },
    { name: "Bash", input: { command: "echo second >> count.txt" } },
  ],
};

describe("a session over every wire", () => {
  overEveryWire(
    "goes on after a kill in the middle of a tool call, which is reported and not run again",
    async (wire) => {
      const here = await agentMachine(scripted(counting, { text: "I see." }, { text: "Yes." }), { wire });
      const child = here.start(["-p", "count", "--output-format", "stream-json"]);
      const { ended, until } = listen(child);
      await until("stdout", OUTPUT);
      child.kill("SIGKILL");
      await ended;
      const shell = Number(here.read("pid"));
      onTestFinished(() => endGroup(shell));

      const { open } = await here.data("resume");
      expect(open.turn).toMatchObject({ state: "cut" });
      expect(JSON.stringify(open)).toContain("Bash");
      const resumed = await here.worldline(["-c", "-p", "what happened?"]);
      expect(resumed).toMatchObject({ code: 0, stdout: "I see.\n" });
      expect(resumed.stderr).toContain("Bash");
      // A killed process cannot end the commands that it started, so the next one does.
      expect(isAlive(shell)).toBe(false);
      expect(await here.ask("and later?", "-c")).toMatchObject({ code: 0, answer: "Yes." });

      expect(refusedOf(here)).toEqual([]);
      expect(resultsIn(here.server.requests[1])).toEqual([
        expect.stringMatching(/interrupted/iu),
        expect.stringMatching(/interrupted|not (run|started)/iu),
      ]);
      expect(resultsIn(here.server.requests[2])).toEqual(resultsIn(here.server.requests[1]));
      expect(here.read("count.txt")).toBe("ran\n");
    },
  );

  overEveryWire(
    "is not poisoned by calls that are malformed, unknown, without an id, or with the same id twice",
    async (wire) => {
      const here = await agentMachine(
        scripted(
          {
            calls: [
              { name: "Read", rawArguments: '{"file_path": "a.tx' },
              { name: "Read", rawArguments: "[1, 2]" },
              { name: "Reed", input: { file_path: "a.txt" } },
              { name: "Read", input: { path: "a.txt" } },
            ],
          },
          { calls: [{ name: "Read", id: "", input: { file_path: "a.txt" } }] },
          {
            calls: [
              { name: "Read", id: "same", input: { file_path: "a.txt" } },
              { name: "Read", id: "same", input: { file_path: "b.txt" } },
            ],
          },
          { calls: [{ name: "Read", id: "same", input: { file_path: "a.txt" } }] },
          { text: "Sorry." },
          { text: "Later." },
        ),
        { wire, files: { "a.txt": "content of a\n", "b.txt": "content of b\n" } },
      );
      expect(await here.ask("read a.txt")).toMatchObject({
        code: 0,
        outcome: "done",
        answer: "Sorry.",
        steps: 5,
      });
      expect(await here.ask("and later?", "-c")).toMatchObject({ code: 0, answer: "Later." });
      expect(refusedOf(here)).toEqual([]);
      const results = resultsIn(here.server.requests.at(-1));
      expect(results.slice(0, 4)).toEqual([
        expect.stringContaining("not JSON"),
        expect.stringContaining("Invalid arguments"),
        expect.stringContaining("There is no tool named Reed."),
        expect.stringContaining("Invalid arguments"),
      ]);
      expect(results.slice(4)).toEqual([
        expect.stringContaining("content of a"),
        expect.stringContaining("content of a"),
        expect.stringContaining("content of b"),
        expect.stringContaining("content of a"),
      ]);
    },
  );

  overEveryWire("puts what the user says after the results that were still open", async (wire) => {
    const here = await agentMachine(scripted(counting, { text: "Something else." }), { wire });
    const child = here.start(["-p", "count", "--output-format", "stream-json"]);
    const { said, ended, until } = listen(child);
    await until("stdout", OUTPUT);

    const beside = await here.ask("me too", "-c");
    expect(beside).toMatchObject({
      code: 1,
      error: { code: "SESSION_HELD", message: expect.stringContaining("an agent") },
    });

    child.kill("SIGINT");
    expect([await ended, said.stderr]).toEqual([130, ""]);
    expect(isAlive(Number(here.read("pid")))).toBe(false);
    expect(await here.ask("do something else", "-c")).toMatchObject({ code: 0, answer: "Something else." });
    expect(refusedOf(here)).toEqual([]);
    const messages = here.server.requests[1]?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(messages[2]?.results.length).toBe(2);
    expect(messages[3]?.text).toContain("do something else");
    expect(ofKind(await here.log(), "prompt").length).toBe(2);
    expect(here.read("count.txt")).toBe("ran\n");
  });
});
