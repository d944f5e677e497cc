import { type EnglishError, inEnglish } from "../../../../record/error.ts";
import { sentenceOf } from "./said.ts";

/** How the SDK says what kept a process of it from starting or from going on, and what that is. The first group is an id or a path. Known by running it. */
const KNOWN = [
  [/No conversation found with session ID: (\S+)|Session \S+ not found in project/u, "sdk-session-gone"],
  [/No message found with message\.uuid of: (\S+)|Message \S+ not found in session/u, "sdk-message-gone"],
  [/Session ID (\S+) is already in use/u, "sdk-session-in-use"],
  [/cannot be used with root/u, "sdk-not-as-root"],
  [/Configuration error in (.+?): /u, "sdk-settings-invalid"],
  [/native binary not found|Native CLI binary for \S+ not found/u, "sdk-program-gone"],
  [/exists but failed to launch/u, "sdk-program-unstartable"],
  [/ENOSPC|disk is full/u, "sdk-disk-full"],
  [/Operation aborted|Query closed before response received/u, "sdk-closed"],
] as const;

export function knownFailure(words: string): EnglishError | undefined {
  for (const [pattern, reason] of KNOWN) {
    const found = pattern.exec(words);
    if (found !== null) return inEnglish(reason, found[1] === undefined ? {} : { id: found[1] });
  }
  return undefined;
}

/** Of a process that ended in a way that nobody knows. */
export function deathOf(words: string, stderr: string): EnglishError {
  const signal = /terminated by signal (\w+)/u.exec(words)?.[1];
  if (signal !== undefined) return inEnglish("sdk-killed", { signal });
  const exit = /exited with code (\d+)/u.exec(words)?.[1];
  const printed = lastWords(stderr);
  return exit === undefined
    ? inEnglish("sdk-failed", { said: sentenceOf(words), printed })
    : inEnglish("sdk-exited", { exit, printed });
}

/** Notes that it prints while all is well. */
const NOTES = /^\[claude-code:|^Claude configuration file|^A backup file exists|^You can manually restore/u;

function lastWords(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  return sentenceOf(lines.findLast((line) => line !== "" && !NOTES.test(line)) ?? "");
}
