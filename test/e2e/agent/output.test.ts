import { describe, expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../src/testing/testing.ts";
import { agentMachine, ofKind, overEveryWire, type Told } from "./support.ts";

const write: ScriptedReply = {
  thinking: "A file is needed.",
  text: "I write it.",
  calls: [{ name: "Write", input: { file_path: "made.txt", content: "one\ntwo\n" } }],
};
const shell: ScriptedReply = { calls: [{ name: "Bash", input: { command: "echo from the shell" } }] };
const done: ScriptedReply = { text: "It is written." };
const usage = {
  input: expect.any(Number),
  output: expect.any(Number),
  cacheRead: expect.any(Number),
  cacheWrite: expect.any(Number),
};

function entriesOf(events: readonly Told[]): readonly unknown[] {
  return events.flatMap((event) => (event.type === "entry" ? [event["entry"]] : []));
}

describe("the output of a turn over every wire", () => {
  overEveryWire("is one document as json", async (wire) => {
    const here = await agentMachine(scripted(write, shell, done), { wire });
    const { code, stdout, stderr } = await here.worldline(["-p", "write it", "--output-format", "json"]);
    expect([code, stderr]).toEqual([0, ""]);
    const document = JSON.parse(stdout);
    expect(document).toEqual({
      session: expect.stringMatching(/^[0-9a-z]{10}$/u),
      model: here.server.modelFor(wire),
      outcome: "done",
      answer: "It is written.",
      steps: 3,
      backtracks: 0,
      cards: [],
      milliseconds: expect.any(Number),
      usage,
      cost: null,
      files: [{ path: "made.txt", change: "created", added: 2, removed: 0 }],
      moreFiles: 0,
      denied: [],
      plan: null,
      error: null,
      resume: `worldline -r ${document.session} "..."`,
    });
    const { uncached, read, written, output } = here.server.cache;
    expect(document.usage).toMatchObject({ input: uncached + read + written, output, cacheRead: read });
  });

  overEveryWire(
    "is a line for each event as stream-json, the log among them and turn-end last",
    async (wire) => {
      const here = await agentMachine(scripted(write, shell, done), { wire });
      const { code, stderr, events } = await here.tell("write it");
      expect([code, stderr]).toEqual([0, ""]);
      expect(events[0]).toEqual({
        type: "session",
        version: 1,
        session: expect.any(String),
        workspace: here.workspace,
        resumed: "new",
        model: here.server.modelFor(wire),
        window: expect.any(Number),
        mode: "auto",
        tools: expect.arrayContaining([
          "Backtrack",
          "Bash",
          "Edit",
          "Glob",
          "Grep",
          "Read",
          "Task",
          "TodoWrite",
          "WebFetch",
          "Write",
        ]),
      });
      expect(events.at(-1)).toEqual({
        type: "turn-end",
        outcome: "done",
        answer: "It is written.",
        steps: 3,
        backtracks: 0,
        usage,
        milliseconds: expect.any(Number),
      });
      const log = await here.log();
      const told = entriesOf(events);
      // The first line of the log is written before anything can listen to events.
      expect(told).toEqual(log.filter(({ kind }) => kind !== "session"));
      const pieces = (type: string) =>
        events.flatMap((event) => (event.type === type ? [event["text"]] : [])).join("");
      expect(pieces("text")).toBe("I write it.It is written.");
      expect(pieces("output")).toBe("from the shell\n");
      expect(ofKind(log, "reply").length).toBe(3);
      const doings = events.flatMap((event) => (event.type === "doing" ? [event["doing"]] : []));
      expect(doings).toContainEqual({
        what: "tool",
        call: expect.any(String),
        name: "Write",
        about: "made.txt",
      });
      expect(doings.at(-1)).toEqual({ what: "nothing" });
      expect(events.filter(({ type }) => type === "files")).toEqual([
        { type: "files", files: [{ path: "made.txt", change: "created", added: 2, removed: 0 }], more: 0 },
      ]);
    },
  );

  overEveryWire(
    "says that a reply is void when it is tried again, and answers with the second",
    async (wire) => {
      const here = await agentMachine(
        scripted(
          { text: "Half of a reply that breaks off", misbehave: { do: "cut", after: "half" } },
          { text: "Whole." },
        ),
        { wire },
      );
      const { code, events } = await here.tell("hello");
      expect([code, events.at(-1)]).toMatchObject([0, { outcome: "done", answer: "Whole.", steps: 1 }]);
      expect(events.filter(({ type }) => type === "retry")).toMatchObject([
        { checkpoint: 2, attempt: 1, of: 3 },
      ]);
      expect(ofKind(await here.log(), "reply").length).toBe(1);
    },
  );
});

describe("the output of a turn", () => {
  it("is the answer alone on standard output as text, and what happened on standard error", async () => {
    const here = await agentMachine(scripted(write, shell, done));
    const { code, stdout, stderr } = await here.worldline(["-p", "write it"]);
    expect([code, stdout]).toEqual([0, "It is written.\n"]);
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toEqual([
      expect.stringContaining("Write made.txt"),
      expect.stringContaining("Bash echo from the shell"),
      expect.stringContaining("1 file"),
      expect.stringContaining("made.txt"),
      expect.stringMatching(/worldline -r [0-9a-z]{10} "\.\.\."$/u),
    ]);
  });

  it("shows a backtrack as a card, as a line, or not at all", async () => {
    const back = { checkpoint_id: 2, note: "look no further than pool.ts" };
    const look: ScriptedReply = { calls: [{ name: "Glob", input: { pattern: "*" } }] };
    const story = [look, { calls: [{ name: "Backtrack", input: back }] }, done];
    const here = await agentMachine(scripted(...story, ...story, ...story));
    const shown: string[] = [];
    for (const display of ["card", "line", "off"]) {
      const { code, stderr } = await here.worldline([
        "-p",
        "hello",
        "--setting",
        `backtrack.display=${display}`,
      ]);
      expect(code).toBe(0);
      shown.push(stderr);
    }
    const [card, line, off] = shown;
    expect(card).toContain("look no further than pool.ts");
    expect((card ?? "").split("\n").length).toBeGreaterThan((line ?? "").split("\n").length);
    expect(off).not.toContain("pool.ts");
  });

  it("holds nothing of the model or a command that a terminal would obey", async () => {
    const evil = "\u001b]0;owned\u0007\u001b[2J";
    const here = await agentMachine(
      scripted(
        { calls: [{ name: "Bash", input: { command: `echo '${evil}'; exit 3` } }] },
        { text: `Done. ${evil}` },
      ),
    );
    const { code, stdout, stderr } = await here.worldline(["-p", "hello"]);
    expect(code).toBe(0);
    expect(stderr).not.toContain("\u001b");
    expect(stdout).toBe("Done. ␛]0;owned␇␛[2J\n");
  });
});
