import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Responder } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { spoken } from "../../../support/claude/spoken.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf, toldOf } from "./lines.ts";

/** An image of a single red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/**
 * The SDK starts the second call after the first has ended, but the first result may still be on its way to
 * us.
 */
function inOrderOfCalls(lines: readonly string[]): readonly string[] {
  const start = lines.indexOf("tool-start look");
  const end = lines.findIndex((line) => line.startsWith("tool-end write"));
  const other = lines.filter((_, index) => index !== start);
  return end > start ? other.toSpliced(end, 0, "tool-start look") : lines;
}

describeWithClaude("a turn of the Claude Agent SDK", () => {
  it("is in the log from the prompt over two parallel calls to the answer", async () => {
    let made = "";
    const look = { command: "sh look.sh; echo two > b.txt", description: "Looks" };
    const responder: Responder = (_request, index) =>
      index === 0
        ? {
            thinking: "I make two files.",
            text: "Two files.",
            calls: [
              { id: "write", name: "Write", input: { file_path: made, content: "one\n" } },
              { id: "look", name: "Bash", input: look },
            ],
            usage: { uncached: 100, read: 20, written: 3, output: 7 },
          }
        : { text: "Made.", usage: { uncached: 10, read: 120, written: 0, output: 2 } };
    const { agent, session, server, events, workspace, home, write, read } = await claudeStage({ responder });
    made = join(workspace, "a.txt");
    write("look.sh", `grep -rho '"kind":"tool-start","call":"look"' "${home}" --include=*.jsonl\n`);

    const end = await agent.prompt("make two files");
    expect(end).toEqual({
      type: "turn-end",
      outcome: "done",
      answer: "Made.",
      steps: 2,
      backtracks: 0,
      usage: { input: 253, output: 9, cacheRead: 140, cacheWrite: 3 },
      cost: expect.any(Number),
      milliseconds: expect.any(Number),
    });
    expect(end.cost).toBeGreaterThan(0);
    const written =
      "File created successfully at: ~/a.txt (file state is current in your context — no need to Read it back)";
    const seen = `"kind":"tool-start","call":"look"`;
    expect(inOrderOfCalls(await linesOf(session))).toEqual([
      "checkpoint 1 (prompt)",
      "prompt: make two files",
      "host 1",
      "step 2",
      "reply: (I make two files.) + Two files. + Write write + Bash look",
      "tool-start write",
      `tool-end write ok: ${written}`,
      "tool-start look",
      `tool-end look ok: ${seen}`,
      "host 1",
      "step 3",
      "reply: Made.",
      "host 1",
    ]);
    expect(
      (await session.history()).flatMap((entry) =>
        entry.kind === "snapshot" ? [[entry.checkpoint, entry.state, entry.author]] : [],
      ),
    ).toEqual([
      [1, "complete", "outside"],
      // The author is "outside": the tools' changes were already recorded when the tools ended, and nothing
      // has changed since.
      [2, "complete", "outside"],
      [3, "complete", "outside"],
    ]);
    expect([read("a.txt"), read("b.txt")]).toEqual(["one\n", "two\n"]);
    expect(toldOf(events, "files")).toEqual([
      {
        type: "files",
        files: [
          { path: "a.txt", change: "created", added: 1, removed: 0 },
          { path: "b.txt", change: "created", added: 1, removed: 0 },
        ],
        more: 0,
      },
    ]);
    expect(events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("")).toBe(
      "Two files.Made.",
    );
    expect(
      toldOf(events, "thinking")
        .map(({ text }) => text)
        .join(""),
    ).toBe("I make two files.");
    expect(
      toldOf(events, "call")
        .map(({ call, text }) => (call === "look" ? text : ""))
        .join(""),
    ).toBe(JSON.stringify(look));
    expect(server.requests.map(spoken).at(-1)).toEqual([
      { role: "user", text: ["make two files"] },
      {
        role: "assistant",
        text: ["Two files."],
        calls: [
          { name: "Write", input: { file_path: made, content: "one\n" } },
          { name: "Bash", input: look },
        ],
      },
      { role: "user", results: [{ text: written.replace("~", workspace) }, { text: seen }] },
    ]);
  });

  it("takes images from the user and from tools, and models by their names", async () => {
    let picture = "";
    const responder: Responder = (_request, index) =>
      index === 0
        ? { calls: [{ id: "read", name: "Read", input: { file_path: picture } }] }
        : { text: index === 1 ? "Two dots." : "Another one." };
    const { agent, session, server, events, workspace } = await claudeStage({ responder });
    picture = join(workspace, "dot.png");
    writeFileSync(picture, Buffer.from(PNG, "base64"));
    const image = { type: "image", mediaType: "image/png", data: PNG } as const;

    expect(await agent.prompt([{ type: "text", text: "look at both" }, image])).toMatchObject({
      outcome: "done",
      answer: "Two dots.",
    });
    expect(await linesOf(session)).toEqual([
      "checkpoint 1 (prompt)",
      "prompt: look at both + [image/png]",
      "host 1",
      "step 2",
      "reply: Read read",
      "tool-start read",
      "tool-end read ok: [image/png]",
      "host 1",
      "step 3",
      "reply: Two dots.",
      "host 1",
    ]);
    expect(server.requests.map(({ messages }) => messages.map(({ images }) => images))).toEqual([
      [1, 0],
      [1, 0, 0, 1, 0],
    ]);

    const models = await agent.models();
    expect(models.map(({ name }) => name)).toEqual(expect.arrayContaining(["default", "haiku"]));
    await expect(agent.setModel("nonsense")).rejects.toMatchObject({ code: "MODEL_UNKNOWN" });
    await agent.setModel("anthropic/haiku");
    await agent.prompt("once more");
    expect(server.requests.map(({ model }) => model)).toEqual([
      expect.stringMatching(/^claude-/u),
      server.requests[0]?.model,
      expect.stringMatching(/^claude-haiku-/u),
    ]);
    expect(toldOf(events, "model").map(({ model }) => model)).toEqual([
      `anthropic/${server.requests[0]?.model}`,
      "anthropic/haiku",
      agent.model,
    ]);
    expect(agent.model).toBe(`anthropic/${server.requests[2]?.model}`);
  });
});
