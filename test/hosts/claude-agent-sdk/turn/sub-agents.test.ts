import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../../../../src/disk/system-clock.ts";
import { viewSession } from "../../../../src/machine/open.ts";
import type { PermissionRequest } from "../../../../src/ports/person.ts";
import type { SessionId } from "../../../../src/record/ids.ts";
import { openFilesStore } from "../../../../src/stores/files/files.ts";
import type { Responder } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { claudeScript } from "../../../support/claude/series.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf, toldOf } from "./support/lines.ts";

const TASK = { description: "A task", prompt: "make two files", subagent_type: "general-purpose" };

describeWithClaude("a sub-agent of the Claude Agent SDK", () => {
  it("works in a log of its own, asks in its own name, and what it changed is taken back with its call", async () => {
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
          main: [{ calls: [{ id: "agent", name: "Agent", input: TASK }] }, { text: "Both are made." }],
          subAgents: {
            "make two files": [
              {
                text: "I begin.",
                calls: [
                  { id: "sub-write", name: "Write", input: { file_path: join(place, "a.txt"), content: "one\n" } },
                ],
              },
              { calls: [{ id: "sub-bash", name: "Bash", input: { command: "echo two > b.txt", description: "x" } }] },
              { text: "Two files." },
            ],
          },
        });
        return responder(request, index);
      },
    });
    place = workspace;
    expect.soft(await agent.prompt("have it done")).toMatchObject({ outcome: "done", answer: "Both are made.", steps: 2 });
    expect.soft(asked.map(({ call, tool, by }) => [call, tool, by])).toEqual([
      ["sub-write", "Write", "sub-agent"],
      ["sub-bash", "Bash", "sub-agent"],
    ]);
    expect.soft(await linesOf(session)).toEqual([
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
    expect.soft(view.header.task).toEqual({ session: session.id, call: "agent" });
    expect.soft(await linesOf(view)).toEqual([]);
    expect.soft(told.map(({ call, event }) => [call, event.type === "entry" ? event.entry.kind : event.type])).toEqual([]);

    await session.rewind(1);
    expect.soft(["a.txt", "b.txt"].map((name) => existsSync(join(workspace, name)))).toEqual([false, false]);
  });
});
