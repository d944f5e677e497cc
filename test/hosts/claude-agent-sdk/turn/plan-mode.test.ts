import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Json } from "../../../../src/record/parts.ts";
import { textOf } from "../../../../src/record/parts.ts";
import type { ScriptedCall, ScriptedReply } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { type ClaudeStage, claudeStage } from "../support/claude-stage.ts";

const PLAN =
  "Denied: plan mode: nothing may be changed or run until a plan is approved. Explore, then show the plan with ExitPlanMode";
const NO_RESTORE =
  'Files cannot be restored in plan mode. Go back with files "keep", or show the plan with ExitPlanMode first.';

const called = (id: string, name: string, input: Json): ScriptedCall => ({ id, name, input });
const back = (id: string, files: "keep" | "restore"): ScriptedCall =>
  called(id, "mcp__worldline__Backtrack", { checkpoint_id: 2, note: id, files });

/** How each call ended, including those on other branches. */
async function endsOf({ session }: ClaudeStage): Promise<readonly string[]> {
  const ends = await session.entriesOf("tool-end");
  return ends.map(({ call, outcome, parts }) => `${call} ${outcome}: ${textOf(parts)}`);
}

describeWithClaude("plan mode of the Claude Agent SDK", () => {
  it("changes no file of the workspace, whatever is allowed, and no plan of another session", async () => {
    let stage: ClaudeStage | undefined;
    const place = (path: string): string => join(stage?.workspace ?? "", path);
    const foreign = (): string => join(stage?.config ?? "", "plans", "another.md");
    const steps: readonly (() => readonly ScriptedCall[])[] = [
      () => [called("made", "Write", { file_path: place("a.txt"), content: "mine\n" })],
      () => [
        called("read", "Read", { file_path: place("n.ipynb") }),
        called("plans", "Read", { file_path: foreign() }),
      ],
      () => [],
      () => [
        back("restore", "restore"),
        called("write", "Write", { file_path: place("b.txt"), content: "x" }),
        called("edit", "Edit", { file_path: place("a.txt"), old_string: "mine", new_string: "yours" }),
        called("bash", "Bash", { command: "npm test", description: "x" }),
        called("git", "Bash", { command: "git status > a.txt", description: "x" }),
        called("book", "NotebookEdit", { notebook_path: place("n.ipynb"), new_source: "x", cell_id: "0" }),
        called("foreign", "Write", { file_path: foreign(), content: "gone" }),
        called("away", "Task", {
          description: "d",
          prompt: "p",
          subagent_type: "claude",
          isolation: "worktree",
        }),
      ],
      () => [back("keep", "keep")],
    ];
    stage = await claudeStage({
      person: {
        allow: async ({ call }) => (call === "plans" ? { answer: "once" } : { answer: "no", reason: "no" }),
      },
      rules: { allow: ["Edit", "Bash", "Bash(npm test:*)", "Bash(git status > a.txt)", "Task", "Backtrack"] },
      responder: (_request, index): ScriptedReply => {
        const calls = steps[index]?.() ?? [];
        return calls.length === 0 ? { text: "Done." } : { calls };
      },
    });
    mkdirSync(join(stage.config, "plans"), { recursive: true });
    writeFileSync(foreign(), "precious\n");
    stage.write(
      "n.ipynb",
      '{"cells":[{"cell_type":"code","id":"0","source":"1","metadata":{},"outputs":[]}]}',
    );
    await stage.agent.prompt("make a.txt");
    const book = stage.read("n.ipynb");
    stage.agent.setMode("plan");
    expect(await stage.agent.prompt("plan")).toMatchObject({ outcome: "done", backtracks: 1 });
    expect([stage.read("a.txt"), stage.read("n.ipynb")]).toEqual(["mine\n", book]);
    expect([existsSync(place("b.txt")), readFileSync(foreign(), "utf8")]).toEqual([false, "precious\n"]);
    const ends = await endsOf(stage);
    expect(ends).toContain(`restore denied: Denied: ${NO_RESTORE}`);
    for (const id of ["write", "edit", "bash", "git", "book", "away"]) {
      expect(ends).toContain(`${id} denied: ${PLAN}`);
    }
    expect(ends).toContainEqual(expect.stringMatching(/^foreign denied: Denied: no$/u));
  });

  it("denies what was allowed before it began but has not started, and drops a restore", async () => {
    const asked: string[] = [];
    const stage: ClaudeStage = await claudeStage({
      mode: "manual",
      person: {
        allow: async ({ call }) => {
          asked.push(call);
          if (asked.length > 1) stage.agent.setMode("plan");
          return { answer: "once" };
        },
      },
      responder: (_request, index): ScriptedReply => {
        const place = join(stage.workspace, "a.txt");
        const replies: readonly ScriptedReply[] = [
          { calls: [called("made", "Write", { file_path: place, content: "mine\n" })] },
          { text: "Made." },
          {
            calls: [
              back("restore", "restore"),
              called("late", "Edit", { file_path: place, old_string: "mine", new_string: "yours" }),
            ],
          },
        ];
        return replies[index] ?? { text: "I stay." };
      },
    });
    await stage.agent.prompt("make a.txt");
    expect(await stage.agent.prompt("go")).toMatchObject({ outcome: "done", backtracks: 0 });
    expect([asked, stage.read("a.txt")]).toEqual([["made", "late"], "mine\n"]);
    expect(await endsOf(stage)).toContain(`late denied: ${PLAN}`);
  });

  it("is not left, nor is another mode entered, by ExitPlanMode in any other mode", async () => {
    const plans: string[] = [];
    const stage = await claudeStage({
      mode: "manual",
      person: {
        approve: async (plan) => {
          plans.push(plan);
          return { answer: "approved", mode: "auto" };
        },
      },
      responder: (_request, index) =>
        index === 0 ? { calls: [called("exit", "ExitPlanMode", { plan: "# Do it" })] } : { text: "So." },
    });
    await stage.agent.prompt("go");
    expect([plans, stage.agent.mode]).toEqual([[], "manual"]);
  });

  it("holds rules about Backtrack as for any other tool", async () => {
    const stage = await claudeStage({
      rules: { deny: ["Backtrack"] },
      responder: (_request, index) =>
        index === 0 ? { calls: [back("denied", "keep")] } : { text: "I stay." },
    });
    expect(await stage.agent.prompt("go")).toMatchObject({ outcome: "done", backtracks: 0 });
    expect(await endsOf(stage)).toEqual(["denied denied: Denied: it is denied by the rule Backtrack"]);
  });
});
