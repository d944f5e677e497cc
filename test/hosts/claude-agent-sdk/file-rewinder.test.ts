import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { sdkRewinder } from "../../../src/hosts/claude-agent-sdk/file-rewinder.ts";
import type {
  ClaudeSdk,
  SdkMessage,
  SdkOptions,
  SdkQuery,
} from "../../../src/hosts/claude-agent-sdk/sdk/sdk-types.ts";
import type { FileRewinder } from "../../../src/ports/file-rewinder.ts";
import type { ScriptedReply } from "../../../src/testing/testing.ts";
import { claudeEnvironment } from "../../support/claude/claude-place.ts";
import { describeWithClaude, realClaudeSdk } from "../../support/claude/describe-with-claude.ts";
import { claudeScript } from "../../support/claude/series.ts";
import { type ClaudeStage, claudeStage } from "./support/claude-stage.ts";

const place = { hostSession: "the session", message: "the prompt" };

/** An SDK whose processes give the test's answer, and the options that they were started with. */
function silentSdk(answer: SdkQuery["rewindFiles"]): {
  readonly sdk: ClaudeSdk;
  readonly started: SdkOptions[];
  readonly closed: () => number;
} {
  const started: SdkOptions[] = [];
  let closed = 0;
  const query: ClaudeSdk["query"] = ({ options }) => {
    started.push(options);
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const made = {
      rewindFiles: answer,
      close: () => {
        closed += 1;
        end();
      },
      [Symbol.asyncIterator]: (): AsyncIterator<SdkMessage> => ({
        next: async () => {
          await ended;
          return { done: true, value: undefined };
        },
      }),
    };
    return made as unknown as SdkQuery;
  };
  return { sdk: { query } as ClaudeSdk, started, closed: () => closed };
}

function rewinderOn(sdk: ClaudeSdk, patienceMs?: number): FileRewinder {
  return sdkRewinder({
    open: async () => ({ sdk, start: { env: {} } }),
    workspace: "/work",
    clock: { random: () => new Uint8Array(16) },
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
}

describe("rewindFiles of the Claude Agent SDK", () => {
  it("is asked of a fork that is closed again, and never of the session itself", async () => {
    const { sdk, started, closed } = silentSdk(async () => ({
      canRewind: true,
      filesChanged: ["/work/a"],
      insertions: 1,
      deletions: 2,
    }));
    expect(await rewinderOn(sdk).preview(place)).toEqual({ paths: ["/work/a"], added: 1, removed: 2 });
    expect(started).toMatchObject([
      {
        cwd: "/work",
        settingSources: [],
        resume: "the session",
        forkSession: true,
        sessionId: "00000000-0000-4000-8000-000000000000",
        enableFileCheckpointing: true,
      },
    ]);
    expect(closed()).toBe(1);
  });

  it("that says that it cannot is an error", async () => {
    const { sdk, closed } = silentSdk(async () => ({
      canRewind: false,
      error: "No file checkpoint found for this message.",
    }));
    await expect(rewinderOn(sdk).preview(place)).rejects.toMatchObject({ code: "SNAPSHOT_MISSING" });
    expect(closed()).toBe(1);
  });

  it("that never answers is ended, and an error", async () => {
    const { sdk, closed } = silentSdk(async () => new Promise(() => undefined));
    await expect(rewinderOn(sdk, 10).rewind(place)).rejects.toMatchObject({
      code: "REWIND_REFUSED",
      message: expect.stringContaining("within 0 seconds and was stopped"),
    });
    expect(closed()).toBe(1);
  });
});

describeWithClaude("a rewind whose files go through the real rewindFiles", () => {
  it("takes back what it tracks, names what it does not, touches no session, and is undone by our snapshots", {
    timeout: 60_000,
  }, async () => {
    const { stage, rewinder } = await played();
    const { session } = stage;
    const before = sdkFiles(stage);
    const asked = stage.server.requests.length;
    const [first = 0, second = 0] = await promptsOf(stage);
    const { steps, kept } = await session.previewFiles({ to: second, rewinder });
    expect([steps.map(({ path }) => path), kept]).toEqual([
      ["utils.ts"],
      [
        { path: "shell.txt", why: "untracked" },
        { path: "sub.txt", why: "untracked" },
      ],
    ]);
    const { files } = await session.rewind({ to: second, scope: "both", rewinder: rewinder });
    expect(files).toMatchObject({ restored: 1, kept: 2, failed: 0 });
    expect([stage.read("utils.ts"), stage.read("shell.txt"), stage.read("sub.txt")]).toEqual([
      "one\n",
      "by a command\n",
      "by a sub-agent",
    ]);
    await session.redo();
    expect([stage.read("utils.ts"), sdkFiles(stage)]).toEqual(["two\n", before]);
    const restarted = await stage.again();
    const closed = sdkFiles(stage);
    await restarted.session.rewind({ to: first, scope: "files", rewinder: rewinder });
    expect(existsSync(join(stage.workspace, "utils.ts"))).toBe(false);
    expect([sdkFiles(stage), stage.server.requests.length]).toEqual([closed, asked]);
  });

  it("says that backups or the session are missing, and our own snapshots still work", {
    timeout: 60_000,
  }, async () => {
    const { stage, rewinder } = await played();
    const { session } = stage;
    const [, second = 0] = await promptsOf(stage);
    rmSync(join(configOf(stage), "file-history"), { recursive: true });
    const { files } = await session.rewind({ to: second, scope: "files", rewinder: rewinder });
    expect(files).toMatchObject({ restored: 0, failed: 1 });
    expect(files.through?.trouble).toMatchObject({
      code: "SNAPSHOT_MISSING",
      message: expect.stringContaining("its backup data is missing"),
      hint: expect.stringContaining(`Worldline has its own snapshot for checkpoint ${second}.`),
    });
    await session.rewind({ to: second, scope: "files" });
    expect([stage.read("utils.ts"), existsSync(join(stage.workspace, "sub.txt"))]).toEqual(["one\n", false]);
    rmSync(join(configOf(stage), "projects"), { recursive: true });
    await expect(session.previewFiles({ to: second, rewinder })).rejects.toMatchObject({
      code: "SNAPSHOT_MISSING",
      message: expect.stringContaining("no longer has the session"),
    });
  });
});

const write = (content: string): ScriptedReply => ({
  calls: [{ name: "Write", input: { file_path: "utils.ts", content } }],
});

/**
 * Two prompts: the first writes a file; the second changes it, and has a command and a sub-agent create two
 * more.
 */
async function played(): Promise<{ stage: ClaudeStage; rewinder: FileRewinder }> {
  const sub = { description: "d", prompt: "SUBTASK", subagent_type: "general-purpose" };
  const stage = await claudeStage({
    checkpoints: "on",
    responder: claudeScript({
      main: [
        write("one\n"),
        { text: "written" },
        write("two\n"),
        { calls: [{ name: "Bash", input: { command: "echo by a command > shell.txt", description: "x" } }] },
        { calls: [{ name: "Agent", input: sub }] },
        { text: "all done" },
      ],
      subAgents: {
        SUBTASK: [
          { calls: [{ name: "Write", input: { file_path: "sub.txt", content: "by a sub-agent" } }] },
          { text: "sub done" },
        ],
      },
    }),
  });
  await stage.agent.prompt("write it");
  await stage.agent.prompt("extend it");
  const sdk = await realClaudeSdk();
  const env = claudeEnvironment(stage.server, dirname(stage.workspace));
  const open = async () => ({ sdk, start: { env } });
  return { stage, rewinder: sdkRewinder({ open, workspace: stage.workspace, clock: systemClock }) };
}

async function promptsOf({ session }: ClaudeStage): Promise<readonly number[]> {
  return (await session.checkpoints()).filter(({ on }) => on === "prompt").map(({ number }) => number);
}

function configOf({ workspace }: ClaudeStage): string {
  return join(dirname(workspace), "claude");
}

/** The SDK's transcripts by a digest of their bytes, and the names of its backups. */
function sdkFiles(stage: ClaudeStage): Record<string, string> {
  const config = configOf(stage);
  const found = ["projects", "file-history"].flatMap((folder) =>
    readdirSync(join(config, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      join(folder, name),
    ),
  );
  return Object.fromEntries(
    found.sort().map((name) => [name, name.endsWith(".jsonl") ? sumOf(join(config, name)) : ""]),
  );
}

function sumOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
