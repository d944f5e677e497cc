import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../ports/clock.ts";
import type { FileRewinder, HostPlace } from "../../ports/file-rewinder.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { ClaudeStart } from "./options.ts";
import { sdkHome } from "./sdk/kept-files.ts";
import { newUuid, PromptStream } from "./sdk/process.ts";
import type { ClaudeSdk, SdkOptions, SdkQuery, SdkRewind } from "./sdk/sdk-types.ts";

export interface SdkRewinderOptions {
  /** Loads the SDK. Called only on demand, because the SDK is rarely needed. */
  readonly open: () => Promise<{ readonly sdk: ClaudeSdk; readonly start: Pick<ClaudeStart, "env"> }>;
  /** The folder that the sessions work in. The sessions' paths are relative to this folder. */
  readonly workspace: string;
  readonly clock: Pick<Clock, "random">;
  /** How long the process may take, counted from its start. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 60_000;
/** How long the process may take to end. */
const CLOSING_MS = 5_000;
const MAX_STDERR = 2_000;

/**
 * Rewinds files with the Claude Agent SDK's `rewindFiles`. The rewind needs a process whose session contains the
 * prompt, but any such process will do. This function therefore starts a process in a fork of the session, asks it to
 * rewind without sending it a prompt, and ends it. The session is not affected, and no model is called.
 */
export function sdkRewinder(options: SdkRewinderOptions): FileRewinder {
  return {
    host: "claude",
    name: "Claude Agent SDK",
    limits: ["overwrites", "commands", "sub-agents", "folders"],
    preview: async (place) => {
      const { filesChanged = [], insertions, deletions } = await askProcess(options, place, "preview");
      return {
        paths: filesChanged,
        ...(insertions === undefined ? {} : { added: insertions }),
        ...(deletions === undefined ? {} : { removed: deletions }),
      };
    },
    rewind: async (place) => {
      await askProcess(options, place, "rewind");
    },
  };
}

async function askProcess(
  options: SdkRewinderOptions,
  place: HostPlace,
  how: "preview" | "rewind",
): Promise<SdkRewind> {
  const { sdk, start } = await options.open();
  const fork = newUuid(options.clock);
  const output = { stderr: "" };
  try {
    const sdkOptions = { ...optionsOf(options, place, output), env: start.env, sessionId: fork };
    return await askOnce(sdk, sdkOptions, {
      message: place.message,
      how,
      patienceMs: options.patienceMs ?? PATIENCE_MS,
    });
  } catch (error) {
    throw rewindFailure(error, output.stderr);
  } finally {
    await removeCopies(start.env, fork);
  }
}

function optionsOf(
  { workspace }: SdkRewinderOptions,
  { hostSession }: HostPlace,
  output: { stderr: string },
): Omit<SdkOptions, "env"> {
  return {
    cwd: workspace,
    // The process must not run anything from the workspace.
    settingSources: [],
    resume: hostSession,
    forkSession: true,
    enableFileCheckpointing: true,
    stderr: (text) => {
      output.stderr = (output.stderr + text).slice(-MAX_STDERR);
    },
  };
}

async function askOnce(
  sdk: ClaudeSdk,
  options: SdkOptions,
  {
    message,
    how,
    patienceMs,
  }: { readonly message: string; readonly how: "preview" | "rewind"; readonly patienceMs: number },
): Promise<SdkRewind> {
  const input = new PromptStream();
  const query = sdk.query({ prompt: input, options });
  const read = readAll(query);
  try {
    const answer = await within(
      query.rewindFiles(message, how === "preview" ? { dryRun: true } : {}),
      patienceMs,
    );
    if (!answer.canRewind) throw new Error(answer.error ?? "the files cannot be rewound");
    return answer;
  } finally {
    input.end();
    query.close();
    await Promise.race([read, pause(CLOSING_MS)]);
  }
}

/**
 * Reads all messages. The content of the messages does not matter, but an unhandled error would end our own process.
 */
async function readAll(query: SdkQuery): Promise<void> {
  try {
    for await (const _ of query);
  } catch {
    // The caller of `rewindFiles` gets the error.
  }
}

async function within<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  let late: NodeJS.Timeout | undefined;
  const waited = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(rewindTooSlow(ms)), ms);
  });
  try {
    return await Promise.race([work, waited]);
  } finally {
    clearTimeout(late);
    work.catch(() => undefined);
  }
}

async function pause(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/**
 * Removes a fork's copies of file backups. A fork begins with links to all backups of its session, and the SDK itself
 * never removes them.
 */
async function removeCopies(env: ClaudeStart["env"], fork: string): Promise<void> {
  await rm(join(sdkHome(env), "file-history", fork), { recursive: true, force: true }).catch(() => undefined);
}

/**
 * The SDK's messages about files that it cannot rewind, with our reason code for each. We found the messages by running
 * the SDK.
 */
const FAILURES = [
  [/file rewinding is not enabled/iu, "sdk-checkpoints-off"],
  [/no file checkpoint found/iu, "sdk-checkpoint-missing"],
  [/no files were restored|failed to rewind/iu, "sdk-backup-missing"],
  [/no conversation found|session .* not found/iu, "sdk-session-missing"],
  [/enableFileCheckpointing.*sessionStore|sessionStore/u, "sdk-checkpoints-elsewhere"],
] as const;

/** Converts an SDK error into a Worldline error, with the original error as its cause. */
export function rewindFailure(error: unknown, stderr = ""): WorldlineError {
  if (isWorldlineError(error)) return error;
  const said = error instanceof Error ? error.message : String(error);
  const known =
    FAILURES.find(([pattern]) => pattern.test(said)) ?? FAILURES.find(([pattern]) => pattern.test(stderr));
  if (known !== undefined) return new WorldlineError(known[1], {}, { cause: error });
  const why = oneLine([said, stderr].filter((text) => text.trim() !== "").join(": "));
  return new WorldlineError("sdk-rewind-failed", { said: why }, { cause: error });
}

function rewindTooSlow(ms: number): WorldlineError {
  return new WorldlineError("sdk-rewind-slow", { seconds: Math.round(ms / 1000) });
}

const MAX_SAID = 300;

function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length > MAX_SAID ? `${line.slice(0, MAX_SAID)}…` : line;
}
