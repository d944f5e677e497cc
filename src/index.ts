import {
  exportMarkdown as exportTranscript,
  type MarkdownOptions,
} from "./machine/exchange/export-markdown.ts";
import type { SessionView } from "./machine/view.ts";
import type { OpenAgentOptions, OpenedAgent } from "./open-agent.ts";
import type { EntryOf } from "./record/entry.ts";
import { checkArguments, checkOptions, option } from "./record/options.ts";
import { markdown } from "./strings/en/markdown.ts";

export type { CheckpointRow, NamedPlace } from "./app/checkpoints/checkpoint-rows.ts";
export type { PathDiff } from "./app/files/changes.ts";
export type {
  FilesMade,
  FilesPreviewed,
  JourneyMade,
  JourneyPreview,
  JourneyProgress,
  KeptReason,
  RedoRow,
} from "./app/journeys/journey-types.ts";
export { defaultHome } from "./disk/folders.ts";
export { systemClock } from "./disk/system-clock.ts";
export type {
  CheckpointFilter,
  Decision,
  Execution,
  ExecutionResult,
  ExecutionStatus,
  ExecutionSummary,
  RetryOptions,
  RolledBack,
  SaveRequest,
  StepCall,
  StepCheckpoint,
  StepOptions,
  SuccessFilter,
  UnfinishedStep,
} from "./executions/execution.ts";
export { type ExecutionFilter, listExecutions } from "./executions/list-executions.ts";
export { exportBundle } from "./machine/exchange/bundle/export-bundle.ts";
export { importBundle } from "./machine/exchange/bundle/import-bundle.ts";
export { exportJson } from "./machine/exchange/export-json.ts";
export { importKimi } from "./machine/exchange/kimi/import-kimi.ts";
export { findKimiSessions } from "./machine/exchange/kimi/kimi-files.ts";
export { performForget } from "./machine/forget/perform-forget.ts";
export { planForget } from "./machine/forget/plan-forget.ts";
export type {
  ForgetRequest,
  /** @deprecated Use `ForgetRequest`. */
  ForgetRequest as ForgetWish,
} from "./machine/forget/request.ts";
export type { BacktrackAnswer, BacktrackEnd, WorldFacts } from "./machine/journeys/backtracking.ts";
export { type ForkRequest, forkSession } from "./machine/journeys/fork.ts";
export type { RedoResult, RewindResult } from "./machine/journeys/person-journeys.ts";
export {
  createSession,
  type Holding,
  holdSession,
  type NewSession,
  type SessionContext,
  /** @deprecated Use `SessionContext`. */
  type SessionContext as Ground,
  viewSession,
} from "./machine/open.ts";
export {
  listSessions,
  resolveSession,
  type SessionList,
  type SessionSummary,
} from "./machine/queries/sessions.ts";
export type { Listener, Reply, Session, SessionEvent } from "./machine/session.ts";
export { defaultSessionSettings, type SessionSettings } from "./machine/settings.ts";
export type { Problem } from "./machine/store-health.ts";
export {
  checkStore,
  /** @deprecated Use `checkStore`. */
  checkStore as examine,
  /** @deprecated Use `repairStore`. */
  repairStore as heal,
  repairStore,
} from "./machine/store-health.ts";
export type { SessionView } from "./machine/view.ts";
export type { Placed } from "./machine/writer.ts";
export type {
  AgentNotice,
  CheckpointPlace,
  OpenAgentOptions,
  OpenedAgent,
  PromptOptions,
  RedoOptions,
  RewindOptions,
} from "./open-agent.ts";
export {
  type OpenExecutionOptions,
  openExecution,
} from "./open-execution.ts";
export {
  type OpenFilesOptions,
  openForgettableFiles,
  openSnapshotObjects,
  openWorkspaceFiles,
} from "./open-files.ts";
export { type OpenSessionOptions, openSession } from "./open-session.ts";
export { type OpenStoreOptions, openStore } from "./open-store.ts";
export type { HostName } from "./ports/agent.ts";
export type { AgentEvent, Busy, TurnEnd, TurnError } from "./ports/agent-events.ts";
export type { Clock } from "./ports/clock.ts";
export type { Holder, Lease, LeaseRequest, Owner, TakeOver } from "./ports/lease.ts";
export type {
  ConfirmedWork,
  Damage,
  LogStore,
  MissingEntries,
  OpenedLog,
  Piece,
  PublishedCheckpoint,
  Recovery,
  SessionContent,
  SessionFilter,
  StorePlace,
  Trashed,
} from "./ports/log-store.ts";
export type {
  PermissionAnswer,
  PermissionMode,
  PermissionRequest,
  PlanAnswer,
  Question,
} from "./ports/person.ts";
export type { ForgettableFiles, SnapshotObjects } from "./ports/snapshot-objects.ts";
export type {
  Captured,
  CaptureProgress,
  CaptureRequest,
  Gap,
  KeptFor,
  PathOutcome,
  PathState,
  RestoreRequest,
  WorkspaceFiles,
} from "./ports/workspace-files.ts";
export type { Draft, Entry, EntryKind, EntryOf, Unstored } from "./record/entry.ts";
export { type ErrorCode, isWorldlineError, WorldlineError } from "./record/error.ts";
export {
  type FileState,
  type LeftOut,
  type PathBytes,
  type PathChange,
  pathOfText,
  shownPath,
} from "./record/files.ts";
export type {
  BlobHash,
  CheckpointNumber,
  EntryId,
  ObjectHash,
  Seq,
  SessionId,
  SnapshotId,
} from "./record/ids.ts";
export { BACKTRACK_TOOL, type Part, type ReplyPart, type Usage } from "./record/parts.ts";
export {
  openLibraryFilesStore as openFilesStore,
  openLibraryMemoryStore as openMemoryStore,
  openLibraryPostgresStore as openPostgresStore,
  openLibrarySqliteStore as openSqliteStore,
} from "./stores/authority/library-stores.ts";
export type { FilesStoreOptions } from "./stores/files/files.ts";
export type { PostgresStoreOptions } from "./stores/postgres/postgres-store.ts";
export type { SqliteStoreOptions } from "./stores/sqlite/sqlite-store.ts";
export type { Context, ContextMessage } from "./timeline/context/context.ts";
export { Outline } from "./timeline/outline.ts";
export type { Row } from "./timeline/row.ts";
export { type TreeLine, treeOf } from "./timeline/tree.ts";
export type { BacktrackRequest } from "./travel/backtrack.ts";

/**
 * Opens an agent in a folder. The agent holds its session until `close`. The agent's code is loaded by the first call,
 * because it is larger than the rest of the library.
 */
export async function openAgent(options?: OpenAgentOptions): Promise<OpenedAgent> {
  return (await import("./open-agent.ts")).openAgent(options);
}

/** Exports a transcript for human readers, in English. Worldline cannot import the transcript. */
export async function exportMarkdown(
  view: SessionView,
  options: Partial<Pick<MarkdownOptions, "branch">> = {},
): Promise<string> {
  checkArguments("exportMarkdown", { view: [view, option.view] });
  checkOptions<typeof options>(options, {
    call: "exportMarkdown",
    kinds: { branch: option.oneOf("here", "all") },
  });
  const texts = { words: markdown, error: (entry: EntryOf<"error">) => entry };
  return exportTranscript(view, { branch: options.branch ?? "here", texts });
}
