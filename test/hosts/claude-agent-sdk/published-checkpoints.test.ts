import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { PromptStream } from "../../../src/hosts/claude-agent-sdk/sdk/process.ts";
import type { SdkOptions } from "../../../src/hosts/claude-agent-sdk/sdk/sdk-types.ts";
import type { PublishedCheckpoint } from "../../../src/ports/log-store.ts";
import type { ScriptedReply } from "../../../src/testing/testing.ts";
import { claudeEnvironment } from "../../support/claude/claude-place.ts";
import { describeWithClaude, realClaudeSdk } from "../../support/claude/describe-with-claude.ts";
import { claudeScript } from "../../support/claude/series.ts";
import { type ClaudeStage, claudeStage } from "./support/claude-stage.ts";

const write = (content: string): ScriptedReply => ({
  calls: [{ name: "Write", input: { file_path: "utils.ts", content } }],
});

/** Rewinds to a published checkpoint the way a script would, with nothing but the SDK. */
async function scriptRewinds(stage: ClaudeStage, { id, sessionId }: PublishedCheckpoint): Promise<void> {
  const sdk = await realClaudeSdk();
  const prompt = new PromptStream();
  const options: Partial<SdkOptions> = {
    cwd: stage.workspace,
    env: claudeEnvironment(stage.server, dirname(stage.workspace)),
    settingSources: [],
    resume: sessionId,
    enableFileCheckpointing: true,
  };
  const query = sdk.query({ prompt, options: options as SdkOptions });
  const heard = (async () => {
    for await (const _message of query);
  })();
  try {
    await query.rewindFiles(id);
  } finally {
    prompt.end();
    query.close();
    await heard.catch(() => undefined);
  }
}

describeWithClaude("metadata.json of a session with Claude", () => {
  it("lists each prompt once, by names that a script can give to the SDK's own rewindFiles", async () => {
    const stage = await claudeStage({
      checkpoints: "on",
      responder: claudeScript({
        main: [write("one\n"), { text: "written" }, write("two\n"), { text: "extended" }],
      }),
    });
    await stage.agent.prompt("write it");
    await stage.agent.prompt("extend it");
    const file = join(stage.home, "sessions", stage.session.id, "checkpoints", "metadata.json");
    await stage.agent.close();
    const published: readonly PublishedCheckpoint[] = JSON.parse(readFileSync(file, "utf8")).checkpoints;
    expect(published.map(({ description }) => description)).toEqual(["extend it", "write it"]);
    const [second, first] = published as [PublishedCheckpoint, PublishedCheckpoint];
    expect(stage.read("utils.ts")).toBe("two\n");
    await scriptRewinds(stage, second);
    expect(stage.read("utils.ts")).toBe("one\n");
    await scriptRewinds(stage, first);
    expect(existsSync(join(stage.workspace, "utils.ts"))).toBe(false);
  });
});
