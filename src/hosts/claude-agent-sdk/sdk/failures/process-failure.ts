import type { ErrorCode } from "../../../../record/error.ts";
import { sentenceOf } from "./said.ts";

/** What kept a process of the SDK from starting or from going on. */
export interface ProcessFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

interface Known {
  /** How the SDK says it. Its first group is put into the message in the place of `%`. */
  readonly said: RegExp;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

const AGAIN = "Send the prompt again: what was said before is told to a new session of the SDK.";

/** Known by running it. */
const KNOWN: readonly Known[] = [
  {
    said: /No conversation found with session ID: (\S+)|Session \S+ not found in project/u,
    code: "SESSION_UNKNOWN",
    message: "The session % of the Claude Agent SDK is gone.",
    hint: AGAIN,
  },
  {
    said: /No message found with message\.uuid of: (\S+)|Message \S+ not found in session/u,
    code: "ENTRY_UNKNOWN",
    message: "The message % is no longer in the session of the Claude Agent SDK.",
    hint: AGAIN,
  },
  {
    said: /Session ID (\S+) is already in use/u,
    code: "SESSION_EXISTS",
    message: "The session % of the Claude Agent SDK is in use already.",
    hint: "Send the prompt again: it gets a session of its own.",
  },
  {
    said: /cannot be used with root/u,
    code: "SETTINGS_INVALID",
    message: "Claude Code does not run as root where its settings say that nobody is to be asked.",
    hint: "Take bypassPermissions out of Claude Code's settings, or work as another user.",
  },
  {
    said: /Configuration error in (.+?): /u,
    code: "SETTINGS_INVALID",
    message: "Claude Code cannot read its settings in %: they are not JSON.",
    hint: "Repair that file, or put a copy in its place: Claude Code keeps some in the folder backups beside it.",
  },
  {
    said: /native binary not found|Native CLI binary for \S+ not found/u,
    code: "INPUT_INVALID",
    message: "The program of the Claude Agent SDK is not where it was.",
    hint: "Install the SDK again, without --omit=optional.",
  },
  {
    said: /exists but failed to launch/u,
    code: "INPUT_INVALID",
    message: "The program of the Claude Agent SDK cannot be started.",
    hint: "See whether the folder of the workspace is still there. If it is, install the SDK again for this machine.",
  },
  {
    said: /ENOSPC|disk is full/u,
    code: "STORE_FULL",
    message: "The disk is full: Claude Code could not save its session.",
    hint: "Make room where CLAUDE_CONFIG_DIR points, or on the disk of the home folder.",
  },
  {
    said: /Operation aborted|Query closed before response received/u,
    code: "CANCELLED",
    message: "The process of the Claude Agent SDK was closed.",
    hint: "Send the prompt again: it starts a new one.",
  },
];

const WHOLE = "Send the prompt again: everything up to it is on the session's log.";

export function knownFailure(words: string): ProcessFailure | undefined {
  for (const { said, code, message, hint } of KNOWN) {
    const found = said.exec(words);
    if (found !== null)
      return { code, message: message.replace(" %", found[1] === undefined ? "" : ` ${found[1]}`), hint };
  }
  return undefined;
}

/** Of a process that ended in a way that nobody knows. */
export function deathOf(words: string, stderr: string): ProcessFailure {
  const signal = /terminated by signal (\w+)/u.exec(words)?.[1];
  if (signal !== undefined) {
    const memory = signal === "SIGKILL" ? " The machine may have been short of memory." : "";
    return {
      code: "MODEL_FAILED",
      message: `Claude Code was ended by ${signal}.`,
      hint: `${WHOLE}${memory}`,
    };
  }
  const exit = /exited with code (\d+)/u.exec(words)?.[1];
  const why = lastWords(stderr);
  if (exit === undefined) {
    return {
      code: "MODEL_FAILED",
      message: `The Claude Agent SDK failed: ${sentenceOf(words)}${why && ` ${why}`}`,
      hint: WHOLE,
    };
  }
  const message = `Claude Code ended with exit code ${exit}${why === "" ? "." : `: ${why}`}`;
  return { code: "MODEL_FAILED", message, hint: WHOLE };
}

/** Notes that it prints while all is well. */
const NOTES = /^\[claude-code:|^Claude configuration file|^A backup file exists|^You can manually restore/u;

function lastWords(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  return sentenceOf(lines.findLast((line) => line !== "" && !NOTES.test(line)) ?? "");
}
