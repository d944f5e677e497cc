import { describe, expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import {
  agentMachine,
  listen,
  OUTPUT,
  ofKind,
  overEveryWire,
  refusedOf,
  resultsIn,
  textOf,
} from "../support.ts";

const look: ScriptedReply = { calls: [{ name: "Glob", input: { pattern: "*" } }] };
const back = (note: string, to = 2) => ({ name: "Backtrack", input: { checkpoint_id: to, note } });

describe("the agent that goes back, over every wire", () => {
  overEveryWire("does not go back in the next turn when this one was cancelled first", async (wire) => {
    const sleeping = { name: "Bash", input: { command: "echo begun; sleep 60" } };
    const here = await agentMachine(
      scripted(look, { calls: [back("too late"), sleeping] }, { text: "Still here." }),
      { wire },
    );
    const child = here.start(["-p", "look", "--output-format", "stream-json"]);
    const { ended, until } = listen(child);
    await until("stdout", OUTPUT);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(await here.ask("where are you?", "-c")).toMatchObject({
      code: 0,
      answer: "Still here.",
      backtracks: 0,
    });
    expect(refusedOf(here)).toEqual([]);
    expect(ofKind(await here.log(), "backtrack")).toEqual([]);
    expect(resultsIn(here.server.requests[2])).toEqual([
      expect.any(String),
      expect.stringContaining("The backtrack was dropped."),
      expect.stringContaining("Interrupted. The command and everything that it started were stopped."),
    ]);
  });

  overEveryWire(
    "accepts one backtrack in a step, and drops it if another call in the step is denied",
    async (wire) => {
      const touch = { name: "Bash", input: { command: "touch x" } };
      const here = await agentMachine(
        scripted(
          look,
          { calls: [back("first"), back("second")] },
          look,
          { calls: [touch, back("third")] },
          { text: "Done." },
        ),
        { wire },
      );
      const answer = await here.ask("go", "--deny", "Bash(touch:*)");
      expect(answer).toMatchObject({ code: 0, outcome: "done", backtracks: 1 });
      expect(refusedOf(here)).toEqual([]);
      const entries = await here.log();
      expect(ofKind(entries, "backtrack")).toMatchObject([{ to: 2, note: "first" }]);
      expect(JSON.stringify(ofKind(entries, "tool-end"))).toContain("Another backtrack is already pending");
      expect(resultsIn(here.server.requests.at(-1)).slice(-2)).toEqual([
        expect.stringContaining("Denied"),
        expect.stringContaining("The backtrack was dropped. Another call in the same reply was denied."),
      ]);
      expect(here.read("x")).toBe(undefined);
    },
  );

  overEveryWire(
    "is told what it said and did, and must do something new before it goes back again",
    async (wire) => {
      const write = { name: "Write", input: { file_path: "made.txt", content: "made\n" } };
      const here = await agentMachine(
        scripted(
          { text: "I begin with a file.", calls: [write] },
          { text: "That was a dead end.", calls: [back("a dead end: made.txt is of no use")] },
          { calls: [back("again at once")] },
          { text: "Answered once." },
        ),
        { wire },
      );
      expect(await here.ask("do it")).toMatchObject({ code: 0, answer: "Answered once.", backtracks: 1 });
      expect(refusedOf(here)).toEqual([]);
      const note = textOf(here.server.requests[2]);
      expect(note).toContain(
        "Already said to the user, who can still read it; say it again only where your answer needs it:\\n\\n> I begin with a file.\\n\\n> That was a dead end.",
      );
      expect(note).toContain('no longer as they were at that checkpoint:\\n- \\"made.txt\\"');
      expect(note).toContain("Do not repeat what it says was done or has failed.");
      expect(resultsIn(here.server.requests[3])).toEqual([
        expect.stringContaining("You have done nothing since the last backtrack"),
      ]);
    },
  );
});

describe("the agent that goes back", () => {
  it("gets what the user has asked for since, word for word", async () => {
    const here = await agentMachine(
      scripted({ text: "One." }, look, { calls: [back("start over")] }, { text: "Two." }),
    );
    await here.ask("the first thing");
    expect(await here.ask("and then THE SECOND thing", "-c")).toMatchObject({ code: 0, answer: "Two." });
    const last = textOf(here.server.requests.at(-1));
    expect(last).toContain("Since that checkpoint the person wrote, word for word:");
    expect(last).toContain("and then THE SECOND thing");
    expect(refusedOf(here)).toEqual([]);
  });

  it("never goes back if settings forbid it, and learns why", async () => {
    const here = await agentMachine(scripted({ calls: [back("n", 2)] }, { text: "Then not." }), {
      environment: { WORLDLINE_BACKTRACK_ENABLED: "false" },
    });
    expect(await here.ask("go")).toMatchObject({ code: 0, answer: "Then not.", backtracks: 0 });
    expect(here.server.requests[0]?.tools).not.toContain("Backtrack");
    expect(resultsIn(here.server.requests[1])).toEqual([
      expect.stringMatching(/^Backtrack is not available in this context\./u),
    ]);
  });
});
