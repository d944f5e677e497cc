import { randomUUID } from "node:crypto";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { PromptStream } from "../../../../src/hosts/claude-agent-sdk/sdk/process.ts";
import { openSession } from "../../../../src/open-session.ts";
import { openModelServer } from "../../../../src/testing/testing.ts";
import { claudeEnvironment } from "../../../support/claude/claude-place.ts";
import {
  claudeSdkFolder,
  describeWithClaude,
  realClaudeSdk,
} from "../../../support/claude/describe-with-claude.ts";
import { claudeScript } from "../../../support/claude/series.ts";
import { type Workshop, workshop } from "../../support/workshop.ts";

const OWN =
  "Worldline has its own snapshot for checkpoint 1. To use it, run: worldline config set snapshots.engine worldline";

interface HostTurn {
  readonly hostSession: string;
  readonly message: string;
  /** What Claude's tools do during the turn. */
  readonly work: () => Promise<void>;
}

/** A session with one prompt to Claude: checkpoint #1, and step #2 before its work. */
async function claudeWorked(shop: Workshop, { hostSession, message, work }: HostTurn): Promise<void> {
  const { home, workspace } = shop;
  const session = await openSession({ home, workspace, files: "on" });
  const host = { kind: "host", host: "claude", hostSession, message } as const;
  const { checkpoint } = await session.prompt("change it", host);
  await session.capture({ checkpoint, author: "outside" });
  await session.step();
  await session.reply({ model: "m", parts: [{ type: "tool-call", call: "c1", name: "Write", input: {} }] });
  await session.toolStart("c1", "Write");
  await work();
  await session.toolEnd("c1", "ok", "done");
  await session.close();
}

async function withoutSdk(): Promise<Workshop & { readonly environment: Record<string, string> }> {
  const shop = workshop();
  shop.put("a.txt", "one\n");
  const work = async (): Promise<void> => shop.put("a.txt", "two\n");
  await claudeWorked(shop, { hostSession: randomUUID(), message: randomUUID(), work });
  const nowhere = join(shop.root, "nowhere");
  mkdirSync(nowhere);
  return { ...shop, environment: { WORLDLINE_SNAPSHOTS_ENGINE: "sdk", WORLDLINE_CLAUDE_SDK: nowhere } };
}

describe("worldline rewind with snapshots.engine sdk", () => {
  it("says how to get the SDK where it is not there, and that our snapshots have the files", async () => {
    const { worldline, files, environment } = await withoutSdk();
    const said = await worldline("rewind 1", { environment });
    expect(said.code).not.toBe(0);
    expect(said.stderr).toContain("needs the Claude Agent SDK, which is not installed");
    expect(said.stderr).toContain(OWN);
    expect(files()).toEqual({ "a.txt": "two\n" });
  });

  it.each(["--only a.txt", "--keep", "--take", "--merge"])(
    "refuses %s, which the SDK cannot follow",
    async (flag) => {
      const { worldline, files, environment } = await withoutSdk();
      const said = await worldline(`rewind 1 ${flag}`, { environment });
      expect(said.code).toBe(2);
      expect(said.stderr).toContain(`${flag.split(" ")[0]} cannot be used when snapshots.engine is sdk`);
      expect(files()).toEqual({ "a.txt": "two\n" });
    },
  );

  it("refuses a step, and says what can be done", async () => {
    const { worldline, environment } = await withoutSdk();
    const { stderr } = await worldline("rewind 2 --scope files", { environment });
    expect(stderr).toContain(
      "The Claude Agent SDK has no files for checkpoint 2, because it is a step checkpoint.",
    );
    expect(stderr).toContain("Choose a checkpoint that was created before a prompt: worldline checkpoints");
  });

  it("needs no SDK for the conversation, nor for redo", async () => {
    const { worldline, environment } = await withoutSdk();
    expect((await worldline("rewind 1 --scope conversation", { environment })).code).toBe(0);
    expect((await worldline("redo", { environment })).code).toBe(0);
  });

  it("takes our snapshots for a session that Claude has not worked on", async () => {
    const { worldline, put, files } = workshop();
    const environment = { WORLDLINE_SNAPSHOTS_ENGINE: "sdk" };
    put("a.txt", "one\n");
    await worldline("checkpoint here", { environment });
    put("a.txt", "two\n");
    const said = await worldline("rewind here", { environment });
    expect([said.code, files()]).toEqual([0, { "a.txt": "one\n" }]);
  });
});

describeWithClaude("worldline rewind with snapshots.engine sdk and the real SDK", () => {
  it("shows the paths, the limits and what stays, and reports the outcome", {
    timeout: 60_000,
  }, async () => {
    const { shop, environment } = await withSdk();
    const { worldline, data, files } = shop;
    const dry = await worldline("rewind 1 --dry-run", { environment });
    expect(dry.stdout.split("\n").slice(1, 10)).toEqual([
      "Restored from the Claude Agent SDK's own checkpoints (snapshots.engine):",
      "  outside edits to these files are overwritten",
      "  changes made by commands stay, except in files that the agent's editing tools also wrote",
      "  changes made by sub-agents stay",
      "  folders stay",
      "Files: 0 to create, 0 to change, 1 to delete",
      "  delete  a.txt  +0 -1",
      "  kept  shell.txt  (not in the agent's own file checkpoints, which omit changes made by commands and sub-agents)",
      "  To restore these as well, use Worldline's own snapshots: worldline config set snapshots.engine worldline, then rewind again.",
    ]);
    const made = await data("rewind 1", { environment });
    expect(made.files.through).toMatchObject({ name: "Claude Agent SDK", undo: "captured" });
    expect(made.files.outcome).toMatchObject({ restored: 0, removed: 1, kept: 1, failed: 0 });
    expect(files()).toEqual({ "shell.txt": "by a command\n" });
    await worldline("redo", { environment });
    expect(files()).toEqual({ "a.txt": "one\n", "shell.txt": "by a command\n" });
  });
});

/** A real SDK session, and a session of ours that names one of its prompts as checkpoint #1. */
async function withSdk(): Promise<{ shop: Workshop; environment: Record<string, string> }> {
  const shop = workshop();
  const server = await openModelServer(
    claudeScript({
      main: [
        { calls: [{ name: "Write", input: { file_path: join(shop.workspace, "a.txt"), content: "one\n" } }] },
        { text: "written" },
      ],
    }),
  );
  onTestFinished(async () => server.close());
  const env = claudeEnvironment(server, realpathSync(shop.root));
  const turn = { hostSession: randomUUID(), message: randomUUID() };
  const work = async (): Promise<void> => {
    await say(shop.workspace, env, turn);
    shop.put("shell.txt", "by a command\n");
  };
  await claudeWorked(shop, { ...turn, work });
  const environment = {
    ...env,
    WORLDLINE_SNAPSHOTS_ENGINE: "sdk",
    WORLDLINE_CLAUDE_SDK: claudeSdkFolder(),
  };
  return { shop, environment };
}

async function say(
  workspace: string,
  env: Readonly<Record<string, string>>,
  { hostSession, message }: Pick<HostTurn, "hostSession" | "message">,
): Promise<void> {
  const sdk = await realClaudeSdk();
  const prompt = new PromptStream();
  const query = sdk.query({
    prompt,
    options: {
      cwd: workspace,
      env,
      sessionId: hostSession,
      settingSources: [],
      permissionMode: "acceptEdits",
      enableFileCheckpointing: true,
    },
  });
  prompt.push({
    type: "user",
    uuid: message,
    parent_tool_use_id: null,
    message: { role: "user", content: [{ type: "text", text: "change it" }] },
  });
  for await (const each of query) if (each.type === "result") break;
  prompt.end();
  query.close();
}
