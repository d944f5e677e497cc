import type { UnusedInstructions } from "../agent/system-prompt.ts";
import type { FilesProgress, SettledRestore } from "../machine/files/requests.ts";
import type { Owner } from "../ports/lease.ts";
import type { Damage } from "../ports/log-store.ts";
import type { SessionBody } from "../record/entry.ts";
import type { SessionId } from "../record/ids.ts";
import type { Ref } from "../snapshots/keeping/ref.ts";
import type { Problem } from "../strings/errors/texts.ts";
import type { CheckpointingDoubt } from "./agent/checkpointing.ts";
import type { SettingsWarning } from "./settings/layers.ts";

/** A session, identified by its id and its title. */
export interface NamedSession {
  readonly id: SessionId;
  /** "" if the session has no title. */
  readonly title: string;
  readonly mode: SessionBody["mode"];
}

/**
 * A message that a use case reports in addition to its result: a code with parameters. `show/notice-text.ts` renders
 * it.
 */
export type Notice =
  | { readonly code: "settings"; readonly warning: SettingsWarning }
  | { readonly code: "session-chosen" | "session-found"; readonly session: NamedSession }
  /** A workspace's own session was created, because the workspace had none. */
  | { readonly code: "session-created"; readonly session: SessionId }
  | { readonly code: "session-elsewhere"; readonly session: SessionId; readonly workspace: string }
  /** Sessions that another home wrote were skipped, because the user has not confirmed them. */
  | { readonly code: "sessions-passed-over"; readonly session: SessionId; readonly count: number }
  | { readonly code: "session-broken"; readonly session: SessionId; readonly problem: Problem }
  | {
      readonly code: "session-damaged" | "session-foreign";
      readonly session: SessionId;
      readonly count: number;
    }
  | {
      readonly code: "session-damaged-since";
      readonly session: SessionId;
      readonly damage: readonly Damage[];
    }
  | { readonly code: "entries-missing"; readonly entries: number; readonly sessions: number }
  | { readonly code: "bytes-set-aside"; readonly bytes: number; readonly file: string }
  | { readonly code: "list-unwritten"; readonly problem: Problem }
  | { readonly code: "waiting"; readonly owner: Owner; readonly milliseconds: number }
  /** A restore that a crash had interrupted was completed or undone. */
  | { readonly code: "restore-settled"; readonly restore: SettledRestore }
  | { readonly code: "restores-unsettled"; readonly problem: Problem }
  | { readonly code: "label-lookalike"; readonly label: string; readonly other: string }
  | { readonly code: "files-unknown" | "files-unwritten" | "without-files"; readonly problem: Problem }
  /** These sessions were deleted before the deletion of another session failed. */
  | { readonly code: "deleted-before"; readonly sessions: readonly SessionId[] }
  | { readonly code: "trash-not-tidied"; readonly problem: Problem }
  | { readonly code: "files-not-dropped"; readonly sessions: readonly SessionId[]; readonly problem: Problem }
  | {
      readonly code: "store-not-tidied";
      readonly stored: number;
      readonly limit: number;
      readonly problem: Problem;
    }
  | { readonly code: "store-released"; readonly refs: readonly Ref[] }
  | { readonly code: "store-tidied"; readonly freed: number; readonly limit: number }
  | { readonly code: "store-still-over"; readonly stored: number; readonly limit: number }
  /**
   * Commands that outlived a killed process. The commands were found when the session was opened, or ended before files
   * were restored.
   */
  | { readonly code: "commands-left-running" | "commands-ended"; readonly commands: readonly string[] }
  /** Commands that may change files during or after the restore. */
  | {
      readonly code: "commands-running";
      readonly run: "killed" | "under-way";
      readonly commands: readonly string[];
    }
  /** The provider failed, so the step is retried after a pause. */
  | {
      readonly code: "step-retried";
      readonly attempt: number;
      readonly of: number;
      readonly waitMs: number;
      readonly problem: Problem;
    }
  | { readonly code: "session-not-reopened"; readonly session: SessionId; readonly problem: Problem }
  | { readonly code: "trusted-later" }
  | ({ readonly code: "instructions-unused" } & UnusedInstructions)
  | { readonly code: "mcp-untrusted"; readonly file: string }
  | { readonly code: "mcp-trouble"; readonly server: string; readonly problem: Problem }
  | { readonly code: "checkpointing-doubt"; readonly doubt: CheckpointingDoubt }
  | {
      /** The Claude Agent SDK is newer than the versions that Worldline was tested with. */
      readonly code: "claude-doubt";
      readonly version: string;
      readonly known: string;
      readonly wanted: string;
    }
  | { readonly code: "claude-keeps-its-own" | "claude-untrusted" }
  | { readonly code: "keys-unusable" | "model-unusable" | "no-summarizer"; readonly problem: Problem }
  /**
   * The settings cannot be read, so the work continues without them or, for "window-unknown", without the size of the
   * model's window.
   */
  | { readonly code: "settings-unusable" | "window-unknown"; readonly problem: Problem };

/** The progress of a slow operation. */
export type Progress =
  | FilesProgress
  /** "reading" counts bytes; "walking" counts snapshots. */
  | {
      readonly doing: "verify";
      readonly phase: "reading" | "walking";
      readonly done: number;
      readonly of: number;
    }
  /** Reported repeatedly while the model is writing the summary. */
  | { readonly doing: "summarize"; readonly model: string }
  | { readonly doing: "collect" | "export"; readonly done: number; readonly of: number };
