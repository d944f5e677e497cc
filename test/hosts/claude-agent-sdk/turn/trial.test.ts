import { expect, it } from "vitest";
import type { Session } from "../../../../src/machine/session.ts";
import { claudeScript } from "../../../support/claude/series.ts";
import { spoken } from "../../../support/claude/spoken.ts";
import { type ClaudeStage, claudeStage } from "../support/claude-stage.ts";

const log = async (session: Session) =>
  (await session.history())
    .filter(({ kind }) => kind !== "snapshot" && kind !== "session")
    .map((entry) => {
      const { kind, seq, id, parent, at, origin, estimate, ...rest } = entry as unknown as Record<string, unknown>;
      return `  ${seq} ${kind} ${JSON.stringify(rest).slice(0, 200)}`;
    })
    .join("\n");
const wire = (stage: ClaudeStage, from = 0) =>
  stage.server.requests
    .slice(from)
    .map((r) => `#${r.index} ${r.refused ?? ""}` + JSON.stringify(spoken(r)).slice(0, 1500))
    .join("\n");
const bash = (command: string) => ({ name: "Bash", input: { command, description: "x" } });

it("backtracks", { timeout: 60_000 }, async () => {
  const stage = await claudeStage({
    responder: claudeScript({
      main: [
        { text: "one", calls: [bash("echo 1 > one.txt")] },
        { text: "done one." },
        { text: "look", calls: [bash("echo 2 > two.txt")] },
        { text: "back", calls: [{ name: "mcp__worldline__Backtrack", input: { checkpoint_id: 5, note: "two is a dead end" } }, bash("echo side > side.txt")] },
        { text: "after back", calls: [bash("cat two.txt")] },
        { text: "all done." },
        { text: "bad", calls: [{ name: "mcp__worldline__Backtrack", input: { checkpoint_id: 999, note: "x" } }] },
        { text: "ok then." },
      ],
    }),
  });
  await stage.agent.prompt("PROMPT ONE");
  console.log(await stage.agent.prompt("PROMPT TWO"));
  console.log(stage.events.filter((e) => e.type === "backtrack" || e.type === "warning"));
  console.log(await stage.agent.prompt("PROMPT THREE"));
  console.log(await log(stage.session));
  console.log(wire(stage, 4));
  await stage.session.redo();
  console.log(await stage.agent.prompt("PROMPT AFTER REDO"));
  console.log(wire(stage, 8));
});

it("interrupts, queues, sub-agents, compacts", { timeout: 60_000 }, async () => {
  const stage = await claudeStage({
    responder: claudeScript({
      main: [
        { text: "slow", calls: [bash("sleep 30; echo no > no.txt")] },
        { text: "next", calls: [bash("sleep 0.5; echo q > q.txt")] },
        { text: "heard." },
        { text: "sub", calls: [{ name: "Agent", input: { description: "d", prompt: "SUBTASK", subagent_type: "general-purpose" } }] },
        { text: "sub fin." },
        { text: "after compaction." },
        { text: "after rewind." },
        { text: "after restart." },
      ],
      subAgents: { SUBTASK: [{ text: "sub works", calls: [{ name: "Write", input: { file_path: "sub.txt", content: "x" } }] }, { text: "sub done" }] },
      summaries: ["THE SUMMARY"],
    }),
  });
  setTimeout(() => void stage.agent.interrupt(), 3000);
  console.log(await stage.agent.prompt("PROMPT SLOW"));
  const q = stage.agent.prompt("PROMPT NEXT");
  setTimeout(() => stage.agent.queue("QUEUED"), 300);
  console.log(await q);
  console.log(await stage.agent.prompt("PROMPT SUB"));
  await stage.agent.run("echo mine", "model");
  console.log(await stage.agent.compact("the focus"));
  console.log(await stage.agent.prompt("PROMPT AFTER"));
  console.log(await log(stage.session));
  const cps = (await stage.session.checkpoints()).filter(({ on }) => on === "prompt");
  console.log(await stage.session.rewind({ to: cps[1]?.number ?? 0, scope: "conversation" }));
  console.log(await stage.agent.prompt("PROMPT REWOUND"));
  const again = await stage.again();
  console.log(await again.agent.prompt("PROMPT RESTARTED"));
  console.log(wire(stage));
  console.log(await log(again.session));
  console.log(JSON.stringify(stage.events.filter((e) => e.type === "sub-agent")).slice(0, 2000));
  expect(1).toBe(1);
});
