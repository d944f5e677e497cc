import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { type ClaudeStage, claudeStage } from "../support/claude-stage.ts";

const bash = (id: string, command: string): ScriptedReply => ({
  calls: [{ id, name: "Bash", input: { command, description: "x" } }],
});

describeWithClaude("a hand edit while Claude's agent works", () => {
  it("is neither reported nor taken back where it was made while a question was open, and shown where a command ran", async () => {
    let questions = 0;
    const staged: ClaudeStage = await claudeStage({
      mode: "manual",
      responder: scripted(
        bash("one", "echo tool > tool.txt"),
        bash("two", "echo ready; until [ -e ../go ]; do sleep 0.05; done; echo two > two.txt"),
        { text: "done" },
      ),
      person: {
        allow: async () => {
          questions += 1;
          writeFileSync(join(staged.workspace, `mine${questions}.txt`), "by hand");
          if (questions === 2) {
            // Edits while the command runs; the command waits for the last of these files.
            setTimeout(() => {
              writeFileSync(join(staged.workspace, "during.txt"), "by hand");
              writeFileSync(join(staged.workspace, ".notes.swp"), "vim");
              writeFileSync(join(staged.workspace, "notes"), "by hand");
              writeFileSync(join(staged.workspace, "..", "go"), "");
            }, 1_500);
          }
          return { answer: "once" };
        },
      },
    });
    const { agent, session, events } = staged;
    expect((await agent.prompt("go")).outcome).toBe("done");
    const reported = events.flatMap((event) => (event.type === "files" ? event.files : []));
    expect(reported.map(({ path }) => path)).toEqual(["during.txt", "tool.txt", "two.txt"]);
    const preview = await session.previewFiles({ to: 1 });
    expect(preview.steps.map(({ path }) => path)).toEqual(["during.txt", "tool.txt", "two.txt"]);
    expect(preview.kept.map(({ path }) => path)).toEqual([".notes.swp", "mine1.txt", "mine2.txt", "notes"]);
    expect(Object.fromEntries(preview.during.map(({ path, sign }) => [path, sign?.sign]))).toEqual({
      ".notes.swp": "editor-file",
      "during.txt": undefined,
      notes: "swap-file",
      "tool.txt": undefined,
      "two.txt": undefined,
    });
  });
});
