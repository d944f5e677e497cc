import { execFileSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { PermissionAnswer, PermissionRequest } from "../../../../src/ports/person.ts";
import { type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { spoken } from "../../../support/claude/spoken.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf, toldOf } from "./lines.ts";

function bash(id: string, command: string): ScriptedReply {
  return { calls: [{ id, name: "Bash", input: { command, description: "A command" } }] };
}

/** Gives these answers in turn, and records the questions. */
function answering(...answers: readonly PermissionAnswer[]): {
  readonly asked: PermissionRequest[];
  readonly allow: (request: PermissionRequest) => Promise<PermissionAnswer>;
} {
  const asked: PermissionRequest[] = [];
  const allow = async (request: PermissionRequest): Promise<PermissionAnswer> =>
    answers[asked.push(request) - 1] ?? { answer: "no", reason: "asked too often" };
  return { asked, allow };
}

describeWithClaude("a call of the Claude Agent SDK", () => {
  it("does not run if a rule denies it, or there is no terminal to ask on, and the model is told why", async () => {
    const { agent, session, server, write, read, workspace } = await claudeStage({
      mode: "manual",
      rules: { deny: ["Bash(rm:*)"] },
      responder: scripted(
        {
          calls: [
            { id: "denied", name: "Bash", input: { command: "rm a.txt", description: "A command" } },
            { id: "unasked", name: "Bash", input: { command: "touch b.txt", description: "A command" } },
          ],
        },
        { text: "So be it." },
      ),
    });
    write("a.txt", "one\n");
    expect(await agent.prompt("tidy up")).toMatchObject({ outcome: "done", answer: "So be it." });
    expect([read("a.txt"), existsSync(join(workspace, "b.txt"))]).toEqual(["one\n", false]);
    expect(await linesOf(session, 4)).toEqual([
      "reply: Bash denied + Bash unasked",
      "tool-end denied denied: Denied: it is denied by the rule Bash(rm:*)",
      "tool-end unasked denied: Denied: nobody is there",
      "host 1",
      "step 3",
      "reply: So be it.",
      "host 1",
    ]);
    expect(server.requests.map(spoken)[1]?.at(-1)).toEqual({
      role: "user",
      results: [
        {
          text: "PreToolUse:Bash hook error: Denied: it is denied by the rule Bash(rm:*)",
          isError: true,
        },
        { text: "Denied: nobody is there", isError: true },
      ],
    });
  });

  it("runs unasked by its words alone, from the folder that the last one went to, with git's programs off", async () => {
    const stage = await claudeStage({
      mode: "manual",
      rules: { allow: ["Bash(printf:*)"] },
      responder: scripted(
        bash("c1", "cd src && pwd"),
        bash("c2", "printf %s 'a$(touch ran)' && git status --short && ls"),
        bash("c3", "npm test $['`touch ran`']"),
        bash("c4", "cat ../../x"),
        { text: "Done." },
      ),
    });
    const { agent, server, write, workspace } = stage;
    write("evil", "#!/bin/sh\ntouch ran\n");
    write("src/a.ts", "");
    chmodSync(join(workspace, "evil"), 0o755);
    execFileSync("git", ["init", "-q"], { cwd: workspace });
    execFileSync("git", ["config", "core.fsmonitor", join(workspace, "evil")], { cwd: workspace });
    expect(await agent.prompt("look")).toMatchObject({ outcome: "done" });
    const results = server.requests.slice(1).map((request) => spoken(request).at(-1)?.results?.[0]?.text);
    expect(results[0]).toBe(join(workspace, "src"));
    expect(results[1]).toMatch(/^a\$\(touch ran\)\?\? .*evil\n[\s\S]*a\.ts$/u);
    expect(results.slice(2)).toEqual(["Denied: nobody is there", "Denied: nobody is there"]);
    expect([existsSync(join(workspace, "ran")), existsSync(join(workspace, "src/ran"))]).toEqual([
      false,
      false,
    ]);
  });

  it("runs as the user says: once, never, or for the session until that is revoked", async () => {
    const { asked, allow } = answering(
      { answer: "once" },
      { answer: "no", reason: "not that one" },
      { answer: "session", rule: "Bash(touch:*)" },
      { answer: "no", reason: "no longer" },
    );
    const { agent, session, workspace } = await claudeStage({
      mode: "manual",
      person: { allow },
      responder: scripted(
        bash("c1", "touch 1"),
        bash("c2", "touch 2"),
        bash("c3", "touch 3"),
        bash("c4", "touch 4"),
        { text: "Touched." },
        bash("c5", "touch 5"),
        { text: "Not touched." },
      ),
    });
    expect(await agent.prompt("touch them")).toMatchObject({ answer: "Touched.", steps: 5 });
    expect([1, 2, 3, 4].map((name) => existsSync(join(workspace, String(name))))).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect(asked.map(({ call }) => call)).toEqual(["c1", "c2", "c3"]);
    expect(asked[0]).toEqual({
      call: "c1",
      tool: "Bash",
      input: { command: "touch 1", description: "A command" },
      about: "touch 1",
      why: "manual mode asks before commands are run",
      help: "mode",
      reason: { code: "mode-asks-commands", mode: "manual" },
      rule: "Bash(touch 1)",
      runs: ["touch"],
    });
    expect((await linesOf(session)).filter((line) => line.startsWith("tool-"))).toEqual([
      "tool-start c1",
      "tool-end c1 ok: (Bash completed with no output)",
      "tool-end c2 denied: Denied: not that one",
      "tool-start c3, granted Bash(touch:*)",
      "tool-end c3 ok: (Bash completed with no output)",
      "tool-start c4",
      "tool-end c4 ok: (Bash completed with no output)",
    ]);
    await session.rewind(1);
    expect(await agent.prompt("once more")).toMatchObject({ answer: "Not touched." });
    expect(asked.map(({ call }) => call)).toEqual(["c1", "c2", "c3", "c5"]);
  });

  it("is no longer asked about when the user has chosen another mode meanwhile", async () => {
    const asked: string[] = [];
    const { agent, events, workspace } = await claudeStage({
      mode: "manual",
      person: {
        allow: async ({ call }) => {
          asked.push(call);
          agent.setMode("auto");
          return { answer: "once" };
        },
      },
      responder: scripted(bash("c1", "touch 1"), bash("c2", "touch 2"), { text: "Touched." }),
    });
    expect(await agent.prompt("touch them")).toMatchObject({ answer: "Touched." });
    expect(existsSync(join(workspace, "2"))).toBe(true);
    expect([asked, agent.mode, toldOf(events, "mode")]).toEqual([
      ["c1"],
      "auto",
      [{ type: "mode", mode: "auto" }],
    ]);
  });
});
