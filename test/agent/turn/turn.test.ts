import { describe, expect, it } from "vitest";
import type { Wire } from "../../../src/testing/model-server/script.ts";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { stage } from "../support/stage.ts";

const wires: readonly Wire[] = ["anthropic", "chat", "responses", "ollama"];

describe.each(wires)("a turn over %s", (wire) => {
  it("goes from the prompt over tools to the answer, and every line of it is on the log", async () => {
    const { agent, session, server, workspace, read, write, events } = await stage({
      wire,
      responder: scripted(
        { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
        { calls: [{ name: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } }] },
        { calls: [{ name: "Bash", input: { command: "cat a.txt > b.txt" } }] },
        { text: "Done: one became two." },
      ),
    });
    write("a.txt", "one\n");
    const end = await agent.prompt("make it two");
    expect(end).toMatchObject({ outcome: "done", answer: "Done: one became two.", steps: 4 });
    expect([read("a.txt"), read("b.txt")]).toEqual(["two\n", "two\n"]);
    expect(server.requests.map(({ refused }) => refused)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    const besides = new Set(["snapshot", "interval"]);
    const kinds = (await session.history()).map(({ kind }) => kind).filter((kind) => !besides.has(kind));
    expect(kinds).toEqual([
      "session",
      "checkpoint",
      "prompt",
      ...["step", "reply", "tool-start", "tool-end"],
      ...["step", "reply", "tool-start", "tool-end"],
      ...["step", "reply", "tool-start", "tool-end"],
      "step",
      "reply",
    ]);
    expect(events.filter(({ type }) => type === "files")).toEqual([
      {
        type: "files",
        files: [
          { path: "a.txt", change: "changed", added: 1, removed: 1 },
          { path: "b.txt", change: "created", added: 1, removed: 0 },
        ],
        more: 0,
      },
    ]);
    expect(workspace).not.toBe("");
  });
});
