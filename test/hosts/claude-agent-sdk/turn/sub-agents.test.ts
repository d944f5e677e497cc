import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../../../../src/disk/system-clock.ts";
import { viewSession } from "../../../../src/machine/open.ts";
import type { PermissionRequest } from "../../../../src/ports/person.ts";
import type { SessionId } from "../../../../src/record/ids.ts";
import { openFilesStore } from "../../../../src/stores/files/files.ts";
import type { Responder, ScriptedCall } from "../../../../src/testing/testing.ts";
import { isLiving } from "../../../living.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { claudeScript } from "../../../support/claude/series.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf, toldOf } from "./lines.ts";
import { heard, until } from "./until.ts";

const SLEEP = { command: "echo $$ > pid; sleep 60", description: "Sleeps" };

function agentCall(id: string, prompt: string): ScriptedCall {
  return { id, name: "Agent", input: { description: "A task", prompt, subagent_type: "general-purpose" } };
}

describeWithClaude("a sub-agent of the Claude Agent SDK", () => {
  it("works in its own log, asks in its own name, and its changes are taken back with its call", async () => {
    let place = "";
    let responder: Responder | undefined;
    const asked: PermissionRequest[] = [];
    const { agent, session, events, workspace, home } = await claudeStage({
      mode: "manual",
      rules: { allow: ["Agent"] },
      person: {
        allow: async (request) => {
          asked.push(request);
          return { answer: "once" };
        },
      },
      responder: (request, index) => {
        responder ??= claudeScript({
          main: [{ calls: [agentCall("agent", "make two files")] }, { text: "Both are made." }],
          subAgents: {
            "make two files": [
              {
                text: "I begin.",
                calls: [
                  {
                    id: "sub-write",
                    name: "Write",
                    input: { file_path: join(place, "a.txt"), content: "one\n" },
                  },
                ],
              },
              {
                calls: [
                  { id: "sub-bash", name: "Bash", input: { command: "echo two > b.txt", description: "x" } },
                ],
              },
              { text: "Two files." },
            ],
          },
        });
        return responder(request, index);
      },
    });
    place = workspace;
    expect(await agent.prompt("have it done")).toMatchObject({
      outcome: "done",
      answer: "Both are made.",
      steps: 2,
    });
    expect(asked.map(({ call, tool, by }) => [call, tool, by])).toEqual([
      ["sub-write", "Write", "sub-agent"],
      ["sub-bash", "Bash", "sub-agent"],
    ]);
    expect(await linesOf(session)).toEqual([
      "checkpoint 1 (prompt)",
      "prompt: have it done",
      "host 1",
      "step 2",
      "reply: Agent agent",
      "tool-start agent",
      expect.stringMatching(/^tool-end agent ok: [\s\S]*\n {2}Two files\.\n/u),
      "host 1",
      "step 3",
      "reply: Both are made.",
      "host 1",
    ]);
    const told = toldOf(events, "sub-agent");
    const [sub] = new Set(told.map((event) => event.session));
    const view = await viewSession(openFilesStore({ root: home, clock: systemClock }), sub as SessionId);
    expect(view.header.task).toEqual({ session: session.id, call: "agent" });
    expect(await linesOf(view)).toEqual([
      "checkpoint 1 (prompt)",
      "prompt: make two files",
      "step 2",
      "reply: I begin. + Write sub-write",
      "tool-start sub-write",
      expect.stringMatching(/^tool-end sub-write ok: /u),
      "step 3",
      "reply: Bash sub-bash",
      "tool-start sub-bash",
      "tool-end sub-bash ok: (Bash completed with no output)",
      "step 4",
      "reply: Two files.",
    ]);
    expect(told.map(({ event }) => (event.type === "entry" ? event.entry.kind : event.type))).toEqual([
      ...["checkpoint", "prompt"],
      ...["step", "reply", "tool-start", "tool-end"],
      ...["step", "reply", "tool-start", "tool-end"],
      ...["step", "reply"],
    ]);
    expect(new Set(told.map(({ call }) => call))).toEqual(new Set(["agent"]));

    await session.rewind({ to: 1, scope: "both" });
    expect(["a.txt", "b.txt"].map((name) => existsSync(join(workspace, name)))).toEqual([false, false]);
  });

  it("is ended with the turn when that is interrupted, next to one that has done its work", async () => {
    const { agent, session, events, workspace, home } = await claudeStage({
      responder: claudeScript({
        main: [
          { calls: [agentCall("a1", "sleep long"), agentCall("a2", "be quick")] },
          { text: "Only one was done." },
        ],
        subAgents: {
          "sleep long": [{ calls: [{ id: "sleep", name: "Bash", input: SLEEP }] }],
          "be quick": [{ text: "Quick." }],
        },
      }),
    });
    const turn = agent.prompt("go");
    const done = heard(agent, (event) => event.type === "entry" && event.entry.kind === "tool-end");
    const pid = await until(() => {
      const file = join(workspace, "pid");
      return existsSync(file) ? Number(readFileSync(file, "utf8")) || undefined : undefined;
    });
    await done;
    await agent.interrupt();
    expect(await turn).toMatchObject({ outcome: "interrupted", steps: 1 });
    // The SDK asks the process to end but does not wait for it.
    await until(() => (isLiving(pid) ? undefined : "ended"));
    const [reply, first = "", second = "", ...rest] = await linesOf(session, 4);
    // Both calls start at the same time, in either order.
    expect([reply, ...[first, second].sort(), ...rest]).toEqual([
      "reply: Agent a1 + Agent a2",
      ...["tool-start a1", "tool-start a2"],
      expect.stringMatching(/^tool-end a2 ok: /u),
      "tool-end a1 interrupted: Interrupted; it is not known whether it took effect.",
      ...["host 1", "interrupt by person", "checkpoint 3 (manual)"],
    ]);
    const [sleeper] = toldOf(events, "sub-agent").filter(({ call }) => call === "a1");
    const view = await viewSession(
      openFilesStore({ root: home, clock: systemClock }),
      sleeper?.session as SessionId,
    );
    expect(await linesOf(view)).toEqual([
      ...["checkpoint 1 (prompt)", "prompt: sleep long", "step 2", "reply: Bash sleep", "tool-start sleep"],
      "tool-end sleep interrupted: Interrupted; it is not known whether it took effect.",
    ]);
    expect(await agent.prompt("so?")).toMatchObject({ outcome: "done", answer: "Only one was done." });
  });
});
