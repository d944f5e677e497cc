import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ClaudeSdk } from "../../../../src/hosts/claude-agent-sdk/sdk/sdk-types.ts";
import { type Responder, scripted } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { spoken } from "../../../support/claude/spoken.ts";
import { claudeStage } from "../support/claude-stage.ts";

const bash = (command: string) => ({ name: "Bash", input: { command, description: "x" } });

describeWithClaude("what was never requested", () => {
  it("does not begin for words that an interrupt came before", async () => {
    let said = 0;
    const responder: Responder = () => {
      said += 1;
      if (said === 2) stage.agent.queue("meanwhile");
      if (said === 2) return { calls: [bash("echo 1")] };
      return said === 3 ? { calls: [bash("echo stray > stray.txt")] } : { text: `reply ${said}` };
    };
    const stage = await claudeStage({ responder });
    const { agent, session } = stage;
    let isHeard = false;
    agent.on((event) => {
      if (isHeard || event.type !== "entry" || event.entry.kind !== "prompt") return;
      if (!JSON.stringify(event.entry.parts).includes("meanwhile")) return;
      isHeard = true;
      void agent.interrupt();
    });
    await agent.prompt("before");
    expect((await agent.prompt("go")).outcome).toBe("interrupted");
    await session.rewind({ to: 1, scope: "conversation" });
    const { length } = session.outline;
    expect((await agent.prompt("next")).outcome).toBe("done");
    const kinds = (await session.history()).filter(({ seq }) => seq > length).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "reply" || kind === "tool-start")).toEqual(["reply"]);
    expect(existsSync(join(stage.workspace, "stray.txt"))).toBe(false);
    expect(stage.server.requests.slice(-1).flatMap(spoken).at(-1)?.text?.at(-1)).toBe("next");
  });

  it("does not run where our hook itself fails", async () => {
    const between = (sdk: ClaudeSdk): ClaudeSdk => ({
      ...sdk,
      query: ({ prompt, options }) => {
        const [matcher] = options.hooks?.PreToolUse ?? [];
        const failing = { ...matcher, hooks: [async () => Promise.reject(new Error("it failed"))] };
        return sdk.query({
          prompt,
          options: { ...options, hooks: { ...options.hooks, PreToolUse: [failing] } },
        });
      },
    });
    const stage = await claudeStage({
      responder: scripted({ calls: [bash("cat secret.txt")] }, { text: "done" }),
      rules: { deny: ["Read(secret.txt)"] },
      between,
    });
    stage.write("secret.txt", "TOPSECRET\n");
    await stage.agent.prompt("go");
    expect(JSON.stringify(stage.server.requests.map(({ body }) => body))).not.toContain("TOPSECRET");
  });

  it("includes no file that a note names, and no command that it holds", async () => {
    const note = (workspace: string) => `@${workspace}/secret.txt`;
    const responder: Responder = (_, index) => {
      if (index === 0) return { calls: [bash("echo 1")] };
      if (index !== 1) return { text: "done" };
      const input = { checkpoint_id: 2, note: note(stage.workspace) };
      return { calls: [{ name: "mcp__worldline__Backtrack", input }] };
    };
    const stage = await claudeStage({ responder, rules: { deny: ["Read(secret.txt)"] } });
    stage.write("secret.txt", "TOPSECRET\n");
    expect(await stage.agent.prompt("go")).toMatchObject({ outcome: "done", backtracks: 1 });
    const bodies = JSON.stringify(stage.server.requests.map(({ body }) => body));
    expect(bodies).toContain(note(stage.workspace));
    expect(bodies).not.toContain("TOPSECRET");
  });
});

describeWithClaude("a command of Claude Code's as a prompt", () => {
  it("is refused where it leaves the conversation, and answers with what it prints", async () => {
    const stage = await claudeStage({ responder: scripted({ text: "one" }, { text: "two" }) });
    await stage.agent.prompt("first");
    const { length } = stage.session.outline;
    await expect(stage.agent.prompt("/clear")).rejects.toMatchObject({
      code: "INPUT_INVALID",
      hint: expect.stringContaining("worldline rewind"),
    });
    expect(stage.session.outline.length).toBe(length);
    const cost = await stage.agent.prompt("/cost");
    expect(cost).toMatchObject({ outcome: "done", steps: 0 });
    expect(cost.answer).toMatch(/\S/u);
    expect(await stage.agent.prompt("second")).toMatchObject({ outcome: "done", answer: "two" });
  });
});

describeWithClaude("a transcript that cannot be read", () => {
  it("costs the conversation nothing: our log is used instead", async () => {
    const stage = await claudeStage({
      responder: scripted({ text: "one" }, { text: "two" }, { text: "three" }),
      between: (sdk) => ({ ...sdk, getSessionMessages: async () => Promise.reject(new Error("EIO")) }),
    });
    await stage.agent.prompt("first");
    const again = await stage.again();
    expect(await again.agent.prompt("second")).toMatchObject({ outcome: "done", answer: "two" });
    const [told] = again.server.requests.slice(-1).flatMap(spoken);
    expect(told?.text?.join("\n")).toContain("first");
    expect(told?.text?.at(-1)).toBe("second");
  });
});
