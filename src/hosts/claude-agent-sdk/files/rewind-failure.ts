import { type ErrorCode, isWorldlineError, WorldlineError } from "../../../record/error.ts";

interface Known {
  /** How the SDK says it. */
  readonly said: RegExp;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

/** What the SDK says where it does not take files back, and what that means to a person. Known by running it. */
const FAILURES: readonly Known[] = [
  {
    said: /file rewinding is not enabled/iu,
    code: "REWIND_REFUSED",
    message: "Checkpoint feature not enabled: the Claude Agent SDK keeps no file checkpoints here",
    hint: "Take CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING out of the environment, and fileCheckpointingEnabled out of its settings.",
  },
  {
    said: /no file checkpoint found/iu,
    code: "SNAPSHOT_MISSING",
    message: "The Claude Agent SDK has no file checkpoint for this prompt",
    hint:
      "It keeps the newest 100 of a session, none for a prompt that was given while a turn ran, none from before a compaction, " +
      "and none where it was not asked to keep any.",
  },
  {
    said: /no files were restored|failed to rewind/iu,
    code: "SNAPSHOT_MISSING",
    message:
      "The Claude Agent SDK could not restore any file: its backup data is missing, or the files cannot be written",
    hint: "See whether its folder file-history is still there, and whether the files may be written.",
  },
  {
    said: /no conversation found|session .* not found/iu,
    code: "SNAPSHOT_MISSING",
    message: "The Claude Agent SDK no longer has the session that this prompt was given in",
    hint: "It removes sessions after cleanupPeriodDays, 30 by default, and has those of other machines or configuration folders not at all.",
  },
  {
    said: /enableFileCheckpointing.*sessionStore|sessionStore/u,
    code: "REWIND_REFUSED",
    message: "The Claude Agent SDK keeps no file checkpoints where its sessions are in a session store",
    hint: "Its file checkpoints need its own files.",
  },
];

/** Why the SDK did not take files back, in our words; what it said itself is the cause. */
export function rewindFailure(error: unknown, stderr = ""): WorldlineError {
  if (isWorldlineError(error)) return error;
  const said = error instanceof Error ? error.message : String(error);
  const known =
    FAILURES.find((each) => each.said.test(said)) ?? FAILURES.find((each) => each.said.test(stderr));
  if (known !== undefined) {
    return new WorldlineError(known.code, `${known.message}.`, {
      hint: `No file was changed. ${known.hint}`,
      cause: error,
    });
  }
  const why = oneLine([said, stderr].filter((text) => text.trim() !== "").join(": "));
  return new WorldlineError("REWIND_REFUSED", `The Claude Agent SDK did not take the files back: ${why}`, {
    hint: "Its process ended, or did not start. See what it says: claude --version; and try once more.",
    cause: error,
  });
}

export function tookTooLong(ms: number): WorldlineError {
  return new WorldlineError(
    "REWIND_REFUSED",
    `The Claude Agent SDK did not take the files back within ${Math.round(ms / 1000)} seconds, and was ended.`,
    { hint: "Try once more; where the machine is very busy, a little later." },
  );
}

const MOST_SAID = 300;

function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length > MOST_SAID ? `${line.slice(0, MOST_SAID)}…` : line;
}
