import { isWorldlineError, WorldlineError } from "../../../record/error.ts";

/** What the SDK says where it does not take files back, and what that means to a person. Known by running it. */
const FAILURES = [
  [/file rewinding is not enabled/iu, "sdk-checkpoints-off"],
  [/no file checkpoint found/iu, "sdk-checkpoint-missing"],
  [/no files were restored|failed to rewind/iu, "sdk-backup-missing"],
  [/no conversation found|session .* not found/iu, "sdk-session-missing"],
  [/enableFileCheckpointing.*sessionStore|sessionStore/u, "sdk-checkpoints-elsewhere"],
] as const;

/** Why the SDK did not take files back, in our words; what it said itself is the cause. */
export function rewindFailure(error: unknown, stderr = ""): WorldlineError {
  if (isWorldlineError(error)) return error;
  const said = error instanceof Error ? error.message : String(error);
  const known =
    FAILURES.find(([pattern]) => pattern.test(said)) ?? FAILURES.find(([pattern]) => pattern.test(stderr));
  if (known !== undefined) return new WorldlineError(known[1], {}, { cause: error });
  const why = oneLine([said, stderr].filter((text) => text.trim() !== "").join(": "));
  return new WorldlineError("sdk-rewind-failed", { said: why }, { cause: error });
}

export function tookTooLong(ms: number): WorldlineError {
  return new WorldlineError("sdk-rewind-slow", { seconds: Math.round(ms / 1000) });
}

const MOST_SAID = 300;

function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length > MOST_SAID ? `${line.slice(0, MOST_SAID)}…` : line;
}
