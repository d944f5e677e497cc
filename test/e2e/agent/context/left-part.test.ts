import { describe, expect, it } from "vitest";
import { isJsonObject, type Json } from "../../../../src/record/parts.ts";
import { type ReceivedRequest, type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import { type AgentMachine, agentMachine, ofKind, refusedOf } from "../support.ts";

const look: ScriptedReply = { text: "I look.", calls: [{ name: "Glob", input: { pattern: "*" } }] };
const NOTE = "Pears are cheaper.";
const WHY = "The rest was noise.";
const back: ScriptedReply = {
  calls: [{ name: "Backtrack", input: { checkpoint_id: 3, note: NOTE, rationale: WHY } }],
};

/** Three prompts; in the third turn, the agent backtracks to its second step of the first turn. */
async function threePrompts(environment: Readonly<Record<string, string>> = {}): Promise<AgentMachine> {
  const here = await agentMachine(
    scripted(
      look,
      { text: "The first answer." },
      { text: "The second answer, with </details> in it." },
      { text: "I look again.", calls: [{ name: "Bash", input: { command: "echo seen" } }] },
      back,
      { text: "The third answer." },
    ),
    { environment },
  );
  await here.ask("First of all");
  await here.ask("Second of all", "-c");
  return here;
}

/** A tool's description as the provider receives it. */
function descriptionOf(request: ReceivedRequest | undefined, name: string): string {
  const tools = (request?.body as { readonly tools?: readonly Json[] } | undefined)?.tools ?? [];
  const tool = tools.find((each) => isJsonObject(each) && each["name"] === name);
  return isJsonObject(tool) ? String(tool["description"]) : "";
}

describe("what a backtrack left", () => {
  it("is in the Markdown export, folded, with every prompt and every answer in order", async () => {
    const here = await threePrompts();
    await here.ask("Third of all", "-c");
    const { stdout } = await here.worldline(["sessions", "export"]);
    const texts = [
      "> First of all",
      "<details>\n<summary>Before the agent went back: 2 prompts, 4 replies</summary>",
      "The first answer.",
      "> Second of all",
      "The second answer, with &lt;/details> in it.",
      "> Third of all",
      "I look again.",
      "\n</details>",
      "**The agent went back to checkpoint 3**",
      `> ${NOTE}`,
      `Why: ${WHY}`,
      "Back to the prompt: First of all",
      "The third answer.",
    ];
    const found = texts.map((text) => stdout.indexOf(text));
    expect(found, stdout).not.toContain(-1);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(stdout.match(/<\/details>/gu)).toHaveLength(1);
  });

  it("does not change what the recap says was asked and answered, and counts as done", async () => {
    const here = await threePrompts();
    await here.ask("Third of all", "-c");
    const { stdout } = await here.worldline(["resume"]);
    expect(stdout).toMatch(/^asked +Third of all$/mu);
    expect(stdout).toMatch(/^done +answered: The third answer\.$/mu);
    expect(stdout).toContain("ran: echo seen");
    expect(stdout).toMatch(/^open +nothing$/mu);
  });

  it("is shown by the entry, the event, the document and the card, with the prompt, the note and the rationale", async () => {
    const here = await threePrompts();
    const { code, stdout, stderr } = await here.worldline(["-c", "-p", "Third of all"]);
    expect([code, stdout]).toEqual([0, "The third answer.\n"]);
    expect(stderr).toContain(`  to: First of all\n  why: ${WHY}\n  | ${NOTE}\n`);
    expect(ofKind(await here.log(), "backtrack")).toMatchObject([
      { to: 3, note: NOTE, rationale: WHY, prompt: "First of all" },
    ]);
    const { stdout: log } = await here.worldline(["log", "--full"]);
    expect(log).toContain(`     Why: ${WHY}\n     Back to: First of all\n`);

    const other = await threePrompts();
    const answer = await other.ask("Third of all", "-c");
    expect(answer).toMatchObject({
      backtracks: 1,
      cards: [{ to: 3, note: NOTE, rationale: WHY, prompt: "First of all", files: "keep" }],
    });
  });
});

describe("backtrack.display off", () => {
  it("says nothing of a backtrack in text, and tells the model that the user sees nothing", async () => {
    const here = await threePrompts({ WORLDLINE_BACKTRACK_DISPLAY: "off" });
    const { stdout, stderr } = await here.worldline(["-c", "-p", "Third of all"]);
    expect(stdout).toBe("The third answer.\n");
    expect(stderr).toContain("Bash echo seen");
    expect(stderr).not.toMatch(/backtrack/iu);
    const description = descriptionOf(here.server.requests[0], "Backtrack");
    expect(description).toContain("The user does not see that you went back");
    expect(JSON.stringify(here.server.requests[0]?.body)).not.toMatch(
      /user sees (?:that|a line)|shown the note/iu,
    );
    expect(refusedOf(here)).toEqual([]);
  });

  it("says nothing of one that was refused or dropped either", async () => {
    const refused = { name: "Backtrack", input: { checkpoint_id: 99, note: "nowhere" } };
    const dropped = { name: "Backtrack", input: { checkpoint_id: 2, note: "no" } };
    const denied = { name: "Bash", input: { command: "touch x" } };
    const here = await agentMachine(
      scripted(look, { calls: [refused] }, { calls: [denied, dropped] }, { text: "Done." }),
      { environment: { WORLDLINE_BACKTRACK_DISPLAY: "off" } },
    );
    const { stdout, stderr } = await here.worldline(["-p", "go", "--deny", "Bash(touch:*)"]);
    expect(stdout).toBe("Done.\n");
    expect(stderr).not.toMatch(/backtrack|checkpoint/iu);
    expect(JSON.stringify(ofKind(await here.log(), "tool-end"))).toContain("The backtrack was dropped.");
  });

  it("leaves the events as they are: they are data", async () => {
    const here = await threePrompts({ WORLDLINE_BACKTRACK_DISPLAY: "off" });
    const { events } = await here.tell("Third of all", "-c");
    expect(events.filter(({ type }) => type === "backtrack")).toMatchObject([
      { to: 3, note: NOTE, rationale: WHY, prompt: "First of all" },
    ]);
  });
});

describe("backtrack.mention", () => {
  it("never: tells the model not to speak of going back, whatever the user is shown", async () => {
    for (const [mention, display] of [
      ["allowed", "card"],
      ["never", "card"],
      ["never", "off"],
    ] as const) {
      const here = await agentMachine(scripted({ text: "Hello." }), {
        environment: { WORLDLINE_BACKTRACK_MENTION: mention, WORLDLINE_BACKTRACK_DISPLAY: display },
      });
      await here.ask("hello");
      const description = descriptionOf(here.server.requests[0], "Backtrack");
      expect(description.includes("Never mention to the user that you went back")).toBe(mention === "never");
      expect(description.includes("The user sees that you went back")).toBe(display === "card");
    }
  });
});
