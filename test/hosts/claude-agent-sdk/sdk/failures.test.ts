import { describe, expect, it } from "vitest";
import {
  failureOfResult,
  failureOfThrown,
  retryOf,
} from "../../../../src/hosts/claude-agent-sdk/sdk/failures.ts";
import type { SdkAssistant, SdkResult } from "../../../../src/hosts/claude-agent-sdk/sdk/sdk-types.ts";
import { WorldlineError } from "../../../../src/record/error.ts";

// Recorded with Claude Agent SDK 0.3.325 against the scripted model server; ids, paths and the longest texts
// are shortened.

const KEY_HINT = "Set ANTHROPIC_API_KEY, or log in with `claude`, or run `worldline setup`.";

function synthetic(error: string, text: string): SdkAssistant {
  return {
    type: "assistant",
    uuid: "b7f8b135-0000-4000-8000-000000000000",
    parent_tool_use_id: null,
    message: {
      id: "9c5930be",
      model: "<synthetic>",
      stop_reason: "stop_sequence",
      content: [{ type: "text", text }],
    },
    error,
  };
}

function toldOf(failure: ReturnType<typeof failureOfResult>): string {
  if (failure === undefined) return "none";
  const { code, retry, message, hint } = failure;
  return [`${code} ${retry}`, message, ...(hint === undefined ? [] : [hint])].join("\n");
}

function thrown(message: string, stderr = ""): string {
  const { code, message: told, hint } = failureOfThrown(new Error(message), stderr);
  return `${code}\n${told}\n${hint}`;
}

describe("the result of a turn", () => {
  const done: SdkResult = { type: "result", subtype: "success", is_error: false, api_error_status: null };

  it("is not a failure if the model answered, a command of the SDK ran, or a hook ended it", () => {
    const answered = { ...done, terminal_reason: "completed", stop_reason: "end_turn", result: "fine now" };
    const stopped = { ...done, terminal_reason: "hook_stopped", stop_reason: "tool_use", result: "" };
    const compacted = { ...done, stop_reason: null, result: "" };
    expect([answered, stopped, compacted].map((result) => failureOfResult(result))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("is a failure where an API that failed ended it as a success", () => {
    const text =
      "API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.";
    const status = { api_error_status: 529, terminal_reason: "api_error", stop_reason: "stop_sequence" };
    expect(
      toldOf(
        failureOfResult(
          { ...done, ...status, is_error: true, result: text },
          synthetic("server_error", text),
        ),
      ),
    ).toBe("MODEL_BUSY soon\nClaude is busy: Overloaded.");
  });

  it("is explained in more detail by the message of the SDK, and without it too", () => {
    const failed = { ...done, is_error: true, terminal_reason: "api_error" };
    const limit = "API Error: Claude's response exceeded the 128000 output token maximum.";
    expect([
      failureOfResult({ ...failed, result: limit }, synthetic("max_output_tokens", limit))?.retry,
      failureOfResult({ ...failed, result: limit })?.retry,
      failureOfResult({ ...failed, result: "Not logged in · Please run /login" })?.code,
    ]).toEqual(["never", "soon", "MODEL_KEY"]);
  });

  it("is a failure where the model said nothing", () => {
    const result = { ...done, terminal_reason: "completed", stop_reason: "end_turn", result: "" };
    expect(toldOf(failureOfResult(result))).toBe(
      "MODEL_FAILED soon\nClaude sent an empty reply: no text and no tool call.",
    );
  });

  it.each(["aborted_streaming", "aborted_tools"])("is an interrupt where it says %s", (terminal_reason) => {
    const errors = ["[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null"];
    const result: SdkResult = {
      type: "result",
      subtype: "error_during_execution",
      is_error: true,
      terminal_reason,
      errors,
    };
    expect(toldOf(failureOfResult(result))).toBe("CANCELLED never\nThe turn was interrupted.");
  });

  it("explains a limit of the SDK, a session that is gone, and unknown failures", () => {
    const failed = (subtype: string, ...errors: readonly string[]): string =>
      toldOf(failureOfResult({ type: "result", subtype, is_error: true, errors }));
    expect(failed("error_max_turns", "Reached maximum number of turns (1)")).toBe(
      "MODEL_FAILED never\nThe Claude Agent SDK ended the turn: Reached maximum number of turns (1).",
    );
    expect(failed("error_during_execution", "No conversation found with session ID: c925a481")).toBe(
      "MODEL_FAILED never\nThe Claude Agent SDK session c925a481 no longer exists.\nSend the prompt again to start a new SDK session, which receives the conversation.",
    );
    expect(failed("error_during_execution", "[ede_diagnostic] result_type=user")).toBe(
      "MODEL_FAILED never\nThe Claude Agent SDK ended the turn.",
    );
  });
});

describe("what the SDK throws", () => {
  it.each([
    [
      "Claude Code returned an error result: No conversation found with session ID: c925a481",
      "",
      "SESSION_UNKNOWN\nThe Claude Agent SDK session c925a481 no longer exists.\nSend the prompt again to start a new SDK session, which receives the conversation.",
    ],
    [
      "Claude Code returned an error result: No message found with message.uuid of: 4c08f1a8",
      "",
      "ENTRY_UNKNOWN\nThe message 4c08f1a8 is no longer in the Claude Agent SDK session.\nSend the prompt again to start a new SDK session, which receives the conversation.",
    ],
    [
      "Claude Code process exited with code 1",
      "Error: Session ID 6b1cbb8a is already in use.\n",
      "SESSION_EXISTS\nThe Claude Agent SDK session 6b1cbb8a is already in use.\nSend the prompt again to start a new session.",
    ],
    [
      "Claude Code process exited with code 1",
      "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons\n",
      "SETTINGS_INVALID\nClaude Code does not run as root when its settings skip permission prompts.\nRemove bypassPermissions from Claude Code's settings, or run as another user.",
    ],
    [
      "Claude Code returned an error result: Configuration error in /cfg/.claude.json: JSON Parse error: Expected '}'\nA backup file exists at: /cfg/backups/.claude.json.backup.1",
      "",
      "SETTINGS_INVALID\nClaude Code cannot read its settings in /cfg/.claude.json, because they are not JSON.\nRepair that file, or replace it with a backup from the backups folder next to it.",
    ],
    [
      "Claude Code native binary not found at /nowhere/claude. Please ensure Claude Code is installed via native installer or specify a valid path with options.pathToClaudeCodeExecutable.",
      "",
      "INPUT_INVALID\nThe Claude Agent SDK's program was moved or removed.\nReinstall the SDK without --omit=optional.",
    ],
    [
      "Claude Code native binary at /sdk/claude exists but failed to launch. This usually means the binary does not match this system's libc",
      "",
      "INPUT_INVALID\nThe Claude Agent SDK's program cannot be started.\nCheck that the workspace folder still exists. If it does, reinstall the SDK for this machine.",
    ],
    [
      "The process of the Claude Agent SDK has exited.",
      "Error: Claude Code could not save all of this session's transcript under /full because the disk is full (ENOSPC).\n",
      "STORE_FULL\nThe disk is full: Claude Code could not save its session.\nFree some disk space where CLAUDE_CONFIG_DIR points, or in your home folder.",
    ],
    [
      "Query closed before response received",
      "",
      "CANCELLED\nThe Claude Agent SDK's process was closed.\nSend the prompt again to start a new process.",
    ],
    [
      "Claude Code process terminated by signal SIGKILL",
      "",
      "MODEL_FAILED\nClaude Code was killed by SIGKILL.\nSend the prompt again. Everything before it is in the session's log. The machine may have run out of memory.",
    ],
    [
      "Claude Code process exited with code 143",
      "",
      "MODEL_FAILED\nClaude Code exited with code 143.\nSend the prompt again. Everything before it is in the session's log.",
    ],
    [
      "Claude Code process exited with code 1. stderr: error: unknown option '--no-such-flag'",
      '[claude-code:unrecognized_model] {"model":"claude-nope"}\nerror: unknown option \'--no-such-flag\'\n\nClaude configuration file not found at: /cfg/.claude.json\n',
      "MODEL_FAILED\nClaude Code exited with code 1: error: unknown option '--no-such-flag'.\nSend the prompt again. Everything before it is in the session's log.",
    ],
    [
      "Claude Code returned an error result: Not logged in · Please run /login",
      "",
      `MODEL_KEY\nThere is no API key or login for Claude.\n${KEY_HINT}`,
    ],
    [
      "The process of the Claude Agent SDK has exited.",
      "",
      "MODEL_FAILED\nThe Claude Agent SDK failed: The process of the Claude Agent SDK has exited.\nSend the prompt again. Everything before it is in the session's log.",
    ],
  ])("is reported in our words: %s", (message, stderr, told) => {
    expect(thrown(message, stderr)).toBe(told);
  });

  it("is kept as the cause, and stays what it is where it is ours", () => {
    const error = new Error("Operation aborted");
    expect(failureOfThrown(error, "").cause).toBe(error);
    const ours = new WorldlineError("stated", { code: "STORE_FULL", message: "The disk is full." });
    expect(failureOfThrown(ours, "whatever")).toBe(ours);
  });
});

describe("a retry of the SDK", () => {
  const again = (error_status: number | null, error: string): unknown =>
    retryOf({
      type: "system",
      subtype: "api_retry",
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 573.4,
      error_status,
      error,
    });

  it("says how often, when and why", () => {
    const often = { attempt: 1, of: 10, waitMs: 573 };
    expect([
      again(429, "rate_limit"),
      again(529, "overloaded"),
      again(500, "server_error"),
      again(401, "authentication_failed"),
      again(null, "unknown"),
    ]).toMatchObject([
      { ...often, code: "MODEL_BUSY", message: "Claude is busy (status 429)." },
      { ...often, code: "MODEL_BUSY", message: "Claude is busy (status 529)." },
      { ...often, code: "MODEL_FAILED", message: "Claude failed with status 500." },
      { ...often, code: "MODEL_KEY", message: "Claude does not accept the key or the login (status 401)." },
      { ...often, code: "MODEL_UNREACHABLE", message: "The connection to Claude failed or was lost." },
    ]);
  });
});
