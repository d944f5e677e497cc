import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import type { EntryOf } from "../../../src/record/entry.ts";
import { toCheckpointNumber } from "../../../src/record/ids.ts";
import type { Json } from "../../../src/record/parts.ts";
import { textPart } from "../../../src/record/parts.ts";
import { Story, sessionNumber } from "../../../src/testing/story.ts";
import { initialTranscript } from "../../../src/tui/transcript/apply-entry.ts";
import { applyEvent } from "../../../src/tui/transcript/apply-event.ts";
import type { Layout } from "../../../src/tui/transcript/drawing/draw-block.ts";
import { layOut } from "../../../src/tui/transcript/drawing/draw-block.ts";
import { EMPTY_TRANSCRIPT } from "../../../src/tui/transcript/transcript.ts";
import { plainLook } from "../support/plain-look.ts";

const workspace = "/home/ada/shop";
const layout: Layout = { width: 76, folds: "folded", display: "card", workspace };

type Outcome = EntryOf<"tool-end">["outcome"];

/** A session of the Claude Agent SDK, with inputs and results as its tools really had them. */
class ClaudeStory extends Story {
  host(message: string): void {
    this.tell({ kind: "host", host: "claude", hostSession: "0f8b", message });
  }

  begun(prompt: string): void {
    this.begin(workspace);
    this.tell({ kind: "checkpoint", number: toCheckpointNumber(1), on: "prompt" });
    this.prompt(prompt);
    this.host("u1");
  }

  /** A step with one call; without a result, the call keeps running. */
  used(name: string, input: Json, result?: readonly [Outcome, string]): void {
    const call = `toolu_${this.entries.length}`;
    const parts = [{ type: "tool-call" as const, call, name, input }];
    this.step();
    this.tell({ kind: "reply", model: "claude-x", parts, estimate: 1 });
    this.tell({ kind: "tool-start", call, name });
    if (result === undefined) return;
    const [outcome, text] = result;
    this.tell({ kind: "tool-end", call, outcome, parts: [textPart(text)], estimate: 1 });
    this.host("r1");
  }
}

/** The lines of one call. */
function call(
  name: string,
  input: Json,
  result: readonly [Outcome, string] = ["ok", "done"],
): readonly string[] {
  const story = new ClaudeStory();
  story.begun("Mend it.");
  story.used(name, input, result);
  return initialTranscript(story.entries, "no")
    .settled.filter(({ kind }) => kind === "call")
    .flatMap((block) => layOut(block, layout, plainLook()));
}

describe("a session of the Claude Agent SDK on the screen", () => {
  it("shows nothing of which session of the SDK it is", () => {
    const story = new ClaudeStory();
    story.begun("Mend it.");
    story.step();
    story.reply("Done.");
    story.host("a1");
    expect(initialTranscript(story.entries, "no").settled.map(({ kind }) => kind)).toEqual([
      "prompt",
      "text",
      "files",
    ]);
  });

  it("shows what a call changes in a file, under its path in the workspace", () => {
    const path = `${workspace}/src/a.txt`;
    const created = `File created successfully at: ${path} (file state is current in your context)`;
    expect(call("Write", { file_path: path, content: "one\ntwo\n" }, ["ok", created])).toEqual([
      "● Write src/a.txt  ✓ 1.0 s",
      "  1 + one",
      "  2 + two",
    ]);
    const edit = { file_path: path, old_string: "two", new_string: "three", replace_all: false };
    expect(call("Edit", edit)).toEqual(["● Edit src/a.txt  ✓ 1.0 s", "  - two", "  + three"]);
    const cell = { notebook_path: `${workspace}/n.ipynb`, cell_id: "c1", new_source: "print(2)" };
    expect(call("NotebookEdit", { ...cell, edit_mode: "replace" })).toEqual([
      "● NotebookEdit n.ipynb  ✓ 1.0 s",
      "  + print(2)",
    ]);
    expect(call("NotebookEdit", { ...cell, edit_mode: "delete" })).toEqual([
      "● NotebookEdit n.ipynb  ✓ 1.0 s",
    ]);
  });

  it("shows a command as it was written, and the end of what it printed", () => {
    const command = `${workspace}/run.sh`;
    expect(call("Bash", { command, description: "Run it" }, ["ok", "hi\nerr"])).toEqual([
      `● Bash ${command}  ✓ 1.0 s`,
      "  hi",
      "  err",
    ]);
    expect(call("Bash", { command: "exit 3", description: "Fail" }, ["error", "Exit code 3\nout"])).toEqual([
      "✗ Bash exit 3  failed 1.0 s",
      "  Exit code 3",
      "  out",
    ]);
  });

  it("says why a call failed, without the tags for the model", () => {
    const text = "<tool_use_error>File does not exist. Note: look elsewhere.</tool_use_error>";
    const edit = { file_path: `${workspace}/no.txt`, old_string: "a", new_string: "b" };
    expect(call("Edit", edit, ["error", text]).slice(1)).toEqual([
      "  File does not exist. Note: look elsewhere.",
    ]);
  });

  it("shows what the user answered", () => {
    const questions = [{ question: "Which?", header: "Pick", multiSelect: false, options: [] }];
    const said = 'Your questions have been answered: "Which?"="A".';
    expect(call("AskUserQuestion", { questions }, ["ok", said])).toEqual([
      "● AskUserQuestion  ✓ 1.0 s",
      `  ${said}`,
    ]);
  });

  it.each([
    ["Read", { file_path: `${workspace}/a.txt` }, "a.txt"],
    [
      "Agent",
      { description: "look around", prompt: "Look.", subagent_type: "general-purpose" },
      "look around",
    ],
    ["WebFetch", { url: "https://example.org", prompt: "what" }, "https://example.org"],
    ["WebSearch", { query: "pools" }, "pools"],
    ["Skill", { skill: "review", args: "all" }, "review"],
    ["TaskCreate", { subject: "Mend it", description: "long" }, "Mend it"],
    ["TaskUpdate", { taskId: "1", status: "completed" }, "1"],
    ["ReadMcpResource", { server: "docs", uri: "docs://a" }, "docs://a"],
    ["mcp__shop__orders", { where: "Berlin", most: 3 }, "Berlin"],
  ])("says in a line what a call of %s is about", (name, input, about) => {
    expect(call(name, input)).toEqual([`● ${name} ${about}  ✓ 1.0 s (1 line)`]);
  });

  it("shows a sub-agent at work below its call", () => {
    const story = new ClaudeStory();
    story.begun("Have it done.");
    const input = { description: "look around", prompt: "Look.", subagent_type: "general-purpose" };
    story.used("Agent", input);
    const start = story.last as EntryOf<"tool-start">;
    const sub = new ClaudeStory(sessionNumber(2));
    sub.begin(workspace);
    sub.prompt("Look.");
    sub.used("Write", { file_path: `${workspace}/sub.txt`, content: "x" }, ["ok", "done"]);
    const events: AgentEvent[] = [
      ...story.entries.map((entry): AgentEvent => ({ type: "entry", entry })),
      ...sub.entries.map(
        (entry): AgentEvent => ({
          type: "sub-agent",
          call: start.call,
          session: sub.session,
          event: { type: "entry", entry },
        }),
      ),
    ];
    const { running } = events.reduce((so, event) => applyEvent(so, event, { now: 0 }), EMPTY_TRANSCRIPT);
    const block = running.get(start.call)?.block;
    const lines = block === undefined ? [] : layOut(block, layout, plainLook());
    expect(lines).toEqual(["◐ Agent look around  0 s", "  ● Write sub.txt  ✓ 1.0 s"]);
  });
});
