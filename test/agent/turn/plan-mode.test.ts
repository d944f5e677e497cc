import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/record/parts.ts";
import {
  type ReceivedRequest,
  type ScriptedCall,
  type ScriptedReply,
  scripted,
} from "../../../src/testing/model-server/script.ts";
import { stage } from "../support/stage.ts";

const WRITE: ScriptedReply = { calls: [{ name: "Write", input: { file_path: "a.txt", content: "mine\n" } }] };
const back = (files: "keep" | "restore", note = "n"): ScriptedCall => ({
  name: "Backtrack",
  input: { checkpoint_id: 2, note, files },
});
const NO_RESTORE =
  'Files cannot be restored in plan mode. Go back with files "keep", or show the plan with ExitPlanMode first.';

function resultsOf(request: ReceivedRequest | undefined): readonly string[] {
  return request?.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [];
}

/** Every file and folder below `folder`, with its bytes. */
function bytesOf(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    files.map((each) => {
      const path = join(each.parentPath, each.name);
      return [path, each.isFile() ? readFileSync(path, "base64") : "folder"];
    }),
  );
}

describe("plan mode", () => {
  it("refuses a backtrack that restores files, and lets one pass that keeps them", async () => {
    const { agent, server, read, session } = await stage({
      rules: { allow: ["Backtrack", "Edit", "Bash"] },
      responder: scripted(
        WRITE,
        { text: "Written." },
        { calls: [back("restore")] },
        { calls: [back("keep")] },
        { text: "Back." },
      ),
    });
    await agent.prompt("write");
    agent.setMode("plan");
    expect(await agent.prompt("now plan")).toMatchObject({ outcome: "done", answer: "Back.", backtracks: 1 });
    expect(resultsOf(server.requests[3]).at(-1)).toContain(`Denied: ${NO_RESTORE}`);
    expect(read("a.txt")).toBe("mine\n");
    expect((await session.entriesOf("tool-end")).map(({ outcome }) => outcome)).toEqual([
      "ok",
      "denied",
      "ok",
    ]);
  });

  it("drops a backtrack that was to restore files when it begins before the end of the step", async () => {
    const { agent, read, events } = await stage({
      person: {
        answer: async () => {
          agent.setMode("plan");
          return ["Yes"];
        },
      },
      responder: scripted(
        WRITE,
        { text: "Written." },
        {
          calls: [
            back("restore"),
            {
              name: "AskUser",
              input: {
                questions: [
                  {
                    question: "Sure?",
                    header: "Sure",
                    options: [{ label: "Yes" }, { label: "No" }],
                  },
                ],
              },
            },
          ],
        },
        { text: "I stay." },
      ),
    });
    await agent.prompt("write");
    expect(await agent.prompt("go back")).toMatchObject({ outcome: "done", backtracks: 0 });
    expect(read("a.txt")).toBe("mine\n");
    expect(events).toContainEqual({
      type: "warning",
      code: "BACKTRACK_DROPPED",
      message: `A backtrack was dropped. ${NO_RESTORE}`,
      reason: "backtrack-dropped",
      params: { problem: { reason: "backtrack-plan-mode", params: {} } },
    });
  });

  it("denies a call that was allowed before it began but has not started yet", async () => {
    const { agent, session, workspace } = await stage({
      mode: "manual",
      person: {
        allow: async () => {
          agent.setMode("plan");
          return { answer: "once" };
        },
      },
      responder: scripted(WRITE, { text: "Not written." }),
    });
    expect(await agent.prompt("write")).toMatchObject({ outcome: "done" });
    expect(bytesOf(workspace)).toEqual({});
    expect(await session.entriesOf("tool-start")).toEqual([]);
    expect(await session.entriesOf("tool-end")).toMatchObject([
      { outcome: "denied", parts: [{ text: expect.stringMatching(/^Denied: plan mode: nothing may be/u) }] },
    ]);
  });

  it("law: whatever tools the model calls, with whatever rules and grants, the workspace keeps its bytes", async () => {
    const path = fc.constantFrom("a.txt", "src/b.txt", "new/c.txt", ".git/config", "../out.txt", ".");
    const command = fc.constantFrom(
      "npm test",
      "rm -rf .",
      "echo x > a.txt",
      "git status",
      "cat a.txt",
      "touch made",
      "sed -i s/o/0/ a.txt",
    );
    const called = (name: string, input: fc.Arbitrary<Json>): fc.Arbitrary<ScriptedCall> =>
      input.map((each) => ({ name, input: each }));
    const call = fc.oneof(
      called("Write", fc.record({ file_path: path, content: fc.constant("changed\n") })),
      called(
        "Edit",
        fc.record({ file_path: path, old_string: fc.constant("one"), new_string: fc.constant("two") }),
      ),
      called("Bash", fc.record({ command, run_in_background: fc.boolean() })),
      called(
        "Backtrack",
        fc.record({
          checkpoint_id: fc.constantFrom(2, 2, 3, 5),
          note: fc.string({ minLength: 1, maxLength: 4 }),
          files: fc.constantFrom("keep", "restore", "restore"),
        }),
      ),
      called("Task", fc.constant({ description: "t", prompt: "change everything" })),
      called("Read", fc.record({ file_path: path })),
      called("Grep", fc.constant({ pattern: "o" })),
      called("TodoWrite", fc.constant({ todos: [{ content: "x", status: "pending" }] })),
      called("ExitPlanMode", fc.constant({ plan: "all of it" })),
      called("KillShell", fc.constant({ shell_id: "bash_1" })),
    );
    const turn = fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(turn, async (steps) => {
        const { agent, write, workspace } = await stage({
          mode: "auto",
          rules: { allow: ["Bash", "Bash(npm test:*)", "Edit", "Edit(src/**)", "Task", "Backtrack"] },
          session: { maxBacktracksPerTurn: 9 },
          responder: scripted(
            { calls: [{ name: "Write", input: { file_path: "a.txt", content: "one\n" } }] },
            { text: "Ready." },
            ...steps.map((calls) => ({ calls })),
            { text: "Planned." },
          ),
        });
        write("src/b.txt", "one\n");
        await agent.prompt("make a.txt");
        const before = bytesOf(workspace);
        agent.setMode("plan");
        await agent.prompt("plan something");
        expect(bytesOf(workspace)).toEqual(before);
        await agent.close();
      }),
      { numRuns: 6, examples: [[[[back("restore")]]]] },
    );
  });
});
