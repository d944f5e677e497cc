import { describe, expect, it } from "vitest";
import { rewindFailure } from "../../../src/hosts/claude-agent-sdk/file-rewinder.ts";
import { WorldlineError } from "../../../src/record/error.ts";

/** The messages of Claude Agent SDK 0.3.325. */
const SAID = [
  ["File rewinding is not enabled.", "REWIND_REFUSED", "Checkpoint feature not enabled"],
  [
    "No file checkpoint found for this message.",
    "SNAPSHOT_MISSING",
    "has no file checkpoint for this prompt",
  ],
  [
    "Failed to rewind: No files were restored: 2 files failed (backup missing, or the file could not be updated)",
    "SNAPSHOT_MISSING",
    "its backup data is missing",
  ],
  [
    "Claude Code returned an error result: No conversation found with session ID: 8d5bc9a3-ea45-4e2b-ba5a-def9b192ee56",
    "SNAPSHOT_MISSING",
    "no longer has the session",
  ],
  [
    "enableFileCheckpointing is not yet supported with sessionStore (backup blobs are not mirrored)",
    "REWIND_REFUSED",
    "when its sessions are in a session store",
  ],
  [
    "Claude Code process terminated by signal SIGKILL",
    "REWIND_REFUSED",
    "process terminated by signal SIGKILL",
  ],
  ["Query closed before response received", "REWIND_REFUSED", "Query closed before response received"],
] as const;

describe("what the Claude Agent SDK says where it does not take files back", () => {
  it.each(SAID)("becomes an error of ours with a hint: %s", (said, code, message) => {
    const cause = new Error(said);
    const error = rewindFailure(cause);
    expect(error).toMatchObject({ name: "WorldlineError", code, cause });
    expect(error.message).toContain(message);
    expect(error.hint).toMatch(/\.$/u);
  });

  it("is looked for in what its process printed, too", () => {
    const error = rewindFailure(
      new Error("exited with code 1"),
      "No conversation found with session ID: x\n",
    );
    expect(error.code).toBe("SNAPSHOT_MISSING");
  });

  it("is reported on one line, and not without end, if it is unknown", () => {
    const { message } = rewindFailure(new Error("odd\nthing"), "x".repeat(1000));
    expect(message).toMatch(/^The Claude Agent SDK did not restore the files: odd thing: x+…$/u);
    expect(message.length).toBeLessThan(400);
  });

  it("stays what it is where it is ours already", () => {
    const ours = new WorldlineError("stated", { code: "INPUT_INVALID", message: "It is not installed." });
    expect(rewindFailure(ours)).toBe(ours);
  });
});
