import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PathBytes } from "../../../src/record/files.ts";
import type { ReceivedRequest, ScriptedReply } from "../../../src/testing/model-server/script.ts";
import { stage } from "../support/stage.ts";

const isSub = (request: ReceivedRequest): boolean => request.system.includes("sub-agent");

const turnsOf = ({ messages }: ReceivedRequest): number =>
  messages.filter(({ role }) => role === "assistant").length;

function delegating(request: ReceivedRequest): ScriptedReply {
  return turnsOf(request) === 0
    ? { calls: [{ name: "Task", input: { description: "edit", prompt: "edit both" } }] }
    : { text: "done" };
}

/** A scripted sub-agent that reads both files, edits both, and reports it. */
function editing(request: ReceivedRequest, outside: string): ScriptedReply {
  const paths = ["a.txt", outside];
  const change = { old_string: "old", new_string: "new" };
  const steps: readonly ScriptedReply[] = [
    { calls: paths.map((file_path) => ({ name: "Read", input: { file_path } })) },
    { calls: paths.map((file_path) => ({ name: "Edit", input: { file_path, ...change } })) },
  ];
  return steps[turnsOf(request)] ?? { text: "edited" };
}

describe("a sub-agent", () => {
  it("changes files that the session it works for takes back, outside the workspace too", async () => {
    let outside = "";
    const { agent, session, workspace, read, write } = await stage({
      rules: { allow: ["Edit(//**)", "Read(//**)"] },
      responder: (request) => (isSub(request) ? editing(request, outside) : delegating(request)),
    });
    outside = join(dirname(workspace), "elsewhere", "b.txt");
    mkdirSync(dirname(outside));
    writeFileSync(outside, "old\n");
    write("a.txt", "old\n");
    expect(await agent.prompt("delegate")).toMatchObject({ outcome: "done", answer: "done" });
    expect([read("a.txt"), readFileSync(outside, "utf8")]).toEqual(["new\n", "new\n"]);
    await session.rewind({ to: 1, scope: "files" });
    expect([read("a.txt"), readFileSync(outside, "utf8")]).toEqual(["old\n", "old\n"]);
    await session.redo();
    expect([read("a.txt"), readFileSync(outside, "utf8")]).toEqual(["new\n", "new\n"]);
    expect(existsSync(outside)).toBe(true);
  });

  it("works next to another one, each with its own log that names the call", async () => {
    const { agent, session, events } = await stage({
      files: "off",
      responder: (request) => {
        if (isSub(request)) return { text: `report on ${request.messages[0]?.text.split("\n")[0]}` };
        return request.messages.length === 1
          ? {
              calls: ["one", "two"].map((prompt) => ({
                name: "Task",
                input: { description: prompt, prompt },
              })),
            }
          : { text: "both are in" };
      },
    });
    expect(await agent.prompt("delegate")).toMatchObject({ outcome: "done", steps: 2 });
    const ends = (await session.history()).flatMap((entry) => (entry.kind === "tool-end" ? [entry] : []));
    const texts = ends.map(({ parts }) => (parts[0]?.type === "text" ? parts[0].text : ""));
    expect(new Set(texts)).toEqual(new Set(["report on one", "report on two"]));
    const headers = events.flatMap((event) =>
      event.type === "sub-agent" && event.event.type === "turn-end" ? [event] : [],
    );
    expect(new Set(headers.map(({ session: id }) => id)).size).toBe(2);
    expect(new Set(headers.map(({ call }) => call))).toEqual(new Set(ends.map(({ call }) => call)));
  });

  it("changes files that the session takes back, also where another one numbers its calls alike", async () => {
    const commands = {
      first:
        "echo 0 > begun.txt; while [ ! -e second.txt ]; do sleep 0.05; done; sleep 0.3; echo 1 > first.txt",
      second: "while [ ! -e begun.txt ]; do sleep 0.05; done; echo 2 > second.txt",
    };
    const { agent, session } = await stage({
      responder: (request) => {
        if (turnsOf(request) > 0) return { text: "done" };
        const names = ["first", "second"] as const;
        if (!isSub(request))
          return {
            calls: names.map((prompt) => ({ name: "Task", input: { description: prompt, prompt } })),
          };
        const name = request.messages[0]?.text.startsWith("first") === true ? "first" : "second";
        return { calls: [{ id: "call-1", name: "Bash", input: { command: commands[name] } }] };
      },
    });
    expect(await agent.prompt("delegate")).toMatchObject({ outcome: "done" });
    const { conflicts, during } = await session.previewFiles({ to: 1 });
    expect(conflicts).toEqual([]);
    const ran = new Map(during.map(({ path, calls }) => [path, new Set(calls.map(({ call }) => call))]));
    expect([...ran.keys()].sort()).toEqual(["begun.txt", "first.txt", "second.txt"]);
    expect(ran.get("second.txt" as PathBytes)?.size).toBe(2);
  });

  it("may do what the user has allowed for the session, without asking again", async () => {
    const asked: string[] = [];
    const command = "echo hi > made.txt";
    const { agent, read } = await stage({
      mode: "manual",
      person: {
        allow: async ({ tool, rule }) => {
          asked.push(tool);
          return { answer: "session", rule };
        },
      },
      responder: (request) => {
        const turns = turnsOf(request);
        if (isSub(request))
          return turns === 0 ? { calls: [{ name: "Bash", input: { command } }] } : { text: "ok" };
        const steps: readonly ScriptedReply[] = [
          { calls: [{ name: "Bash", input: { command } }] },
          { calls: [{ name: "Task", input: { description: "again", prompt: "again" } }] },
        ];
        return steps[turns] ?? { text: "done" };
      },
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done" });
    expect(asked.filter((tool) => tool === "Bash")).toEqual(["Bash"]);
    expect(read("made.txt")).toBe("hi\n");
  });
});
