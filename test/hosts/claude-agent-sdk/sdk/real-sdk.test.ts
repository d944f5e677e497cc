import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { PromptStream } from "../../../../src/hosts/claude-agent-sdk/conversation/prompt-stream.ts";
import type { SdkPrompt, SdkResult } from "../../../../src/hosts/claude-agent-sdk/sdk/sdk-types.ts";
import { type ModelServer, openModelServer } from "../../../../src/testing/testing.ts";
import { type ClaudePlace, claudePlace } from "../../../support/claude/claude-place.ts";
import { describeWithClaude, realClaudeSdk } from "../../../support/claude/describe-with-claude.ts";
import { type ClaudeScript, claudeScript, seriesOf } from "../../../support/claude/series.ts";
import { additions, spoken } from "../../../support/claude/spoken.ts";

const saying = (text: string): SdkPrompt => ({
  type: "user",
  uuid: randomUUID(),
  parent_tool_use_id: null,
  message: { role: "user", content: [{ type: "text", text }] },
});

async function serving(script: ClaudeScript): Promise<ModelServer> {
  const server = await openModelServer(claudeScript(script));
  onTestFinished(() => server.close());
  return server;
}

const ourWord = { hookEventName: "UserPromptSubmit", additionalContext: "a word of ours" } as const;

/** The person says something while the tools of a step run. */
async function sayMeanwhile(input: PromptStream): Promise<object> {
  input.push({ ...saying("and hurry"), priority: "next" });
  return {};
}

/** Says each prompt when the turn of the one before it is over. */
async function converse(
  place: ClaudePlace,
  server: ModelServer,
  prompts: readonly string[],
): Promise<{ readonly session: string; readonly results: readonly SdkResult[] }> {
  const sdk = await realClaudeSdk();
  const session = randomUUID();
  const input = new PromptStream();
  const query = sdk.query({
    prompt: input,
    options: {
      cwd: place.workspace,
      env: place.environment(server),
      sessionId: session,
      settingSources: [],
      canUseTool: async (_tool, asked) => ({ behavior: "allow", updatedInput: { ...asked } }),
      hooks: {
        UserPromptSubmit: [{ hooks: [async () => ({ hookSpecificOutput: ourWord })] }],
        PostToolBatch: [{ hooks: [async () => sayMeanwhile(input)] }],
      },
    },
  });
  const results: SdkResult[] = [];
  const [first = "", ...rest] = prompts;
  input.push(saying(first));
  for await (const message of query) {
    if (message.type !== "result") continue;
    results.push(message);
    const next = rest.shift();
    if (next === undefined) break;
    input.push(saying(next));
  }
  input.end();
  query.close();
  return { session, results };
}

describeWithClaude("the real SDK against the scripted server", () => {
  it("answers, runs tools and sub-agents, and compacts, each series of requests as its script has it", async () => {
    const place = claudePlace();
    const file = join(place.workspace, "a.txt");
    const write = { name: "Write", input: { file_path: file, content: "one\n" } };
    const look = { name: "Bash", input: { command: "sleep 0.1; echo hi", description: "Says hi" } };
    const task = { description: "A task", prompt: "look around", subagent_type: "general-purpose" };
    const server = await serving({
      main: [
        { thinking: "hm", text: "I write.", calls: [look, write] },
        { text: "written" },
        { calls: [{ name: "Agent", input: task }] },
        { text: "delegated" },
        { text: "still here" },
      ],
      subAgents: { "look around": [{ text: "nothing there" }] },
      summaries: ["a file was written"],
    });
    const { results } = await converse(place, server, ["write it", "delegate", "/compact", "and now?"]);

    expect(results.map(({ subtype, result }) => [subtype, result])).toEqual([
      ["success", "written"],
      ["success", "delegated"],
      ["success", ""],
      ["success", "still here"],
    ]);
    expect(readFileSync(file, "utf8")).toBe("one\n");
    expect(server.requests.map(seriesOf)).toEqual([
      "main",
      "main",
      "main",
      "sub-agent",
      "main",
      "compaction",
      "main",
    ]);
    expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
    const written = [
      { role: "user", text: ["write it"] },
      { role: "assistant", text: ["I write."], calls: [look, write] },
      {
        role: "user",
        results: [{ text: "hi" }, { text: expect.stringContaining("File created successfully") }],
        meanwhile: ["and hurry"],
      },
      { role: "assistant", text: ["written"] },
      { role: "user", text: ["delegate"] },
    ];
    expect(server.requests.map(spoken)).toEqual([
      written.slice(0, 1),
      written.slice(0, 3),
      written,
      [{ role: "user", text: ["look around"] }],
      [
        ...written,
        { role: "assistant", calls: [{ name: "Agent", input: task }] },
        { role: "user", results: [{ text: "nothing there" }], meanwhile: ["and hurry"] },
      ],
      expect.anything(),
      [
        { role: "user", summary: "a file was written" },
        { role: "assistant", text: ["delegated"] },
        { role: "user", text: ["and now?"] },
      ],
    ]);
    expect(server.requests.slice(0, 1).flatMap(additions).join("\n")).toContain("a word of ours");
    expect(readdirSync(place.folder).sort()).toEqual(["claude", "home", "tmp", "workspace"]);
  });

  it("keeps the sessions of each place apart, also for what reads them in our own process", async () => {
    const asked = async (place: ClaudePlace): Promise<readonly string[]> => {
      const unwell = { misbehave: { do: "status", status: 529, times: 2 } } as const;
      const server = await serving({ main: [unwell, { text: "hello" }] });
      const { session } = await converse(place, server, ["hi", "and again"]);
      expect(server.requests.slice(-1).flatMap(spoken)).toEqual([
        { role: "user", text: ["hi", "and again"] },
      ]);
      expect(existsSync(join(place.config, "projects"))).toBe(true);
      const stored = await (await realClaudeSdk()).getSessionMessages(session, { dir: place.workspace });
      return stored.map(({ type }) => type);
    };
    expect([await asked(claudePlace()), await asked(claudePlace())]).toEqual([
      ["user", "assistant", "user", "assistant"],
      ["user", "assistant", "user", "assistant"],
    ]);
  });
});
