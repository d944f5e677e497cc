import { callReasons } from "./call-reasons.ts";
import { agent, compact, hosts, models, recap, resume, setup, stats } from "./en/agent.ts";
import { prove, story } from "./en/demo.ts";
import { errorsInEnglish } from "./en/errors/errors.ts";
import { remarksInEnglish } from "./en/errors/remarks.ts";
import { checkpoints, files, journeys, store } from "./en/files.ts";
import { find, run, watch } from "./en/finder.ts";
import { help } from "./en/help/help.ts";
import { doctor, forget } from "./en/maintenance.ts";
import { markdown } from "./en/markdown.ts";
import { time } from "./en/measures.ts";
import { exchange, executions, looking, sessions, sessionsHere } from "./en/sessions.ts";
import { settingDescriptions } from "./en/setting-descriptions.ts";
import { terminal } from "./en/terminal.ts";
import type { ErrorCode } from "./errors/texts.ts";
import type { ErrorCatalogue } from "./wording.ts";

/** A short name for each error code. The full message depends on the error's reason. */
export const errors: Readonly<Record<ErrorCode | "UNEXPECTED", string>> = {
  BACKTRACK_REFUSED: "backtrack refused",
  BLOB_DAMAGED: "long text damaged",
  BLOB_MISSING: "long text missing",
  BUNDLE_INVALID: "invalid bundle",
  CANCELLED: "canceled",
  CHECKPOINT_AMBIGUOUS: "more than one checkpoint",
  CHECKPOINT_UNKNOWN: "no such checkpoint",
  CONTEXT_TOO_LONG: "context too long",
  ENTRIES_MISSING: "entries missing",
  ENTRY_INVALID: "invalid entry",
  ENTRY_UNKNOWN: "no such entry",
  EXECUTION_UNKNOWN: "no such execution",
  FORMAT_NEWER: "written by a newer version",
  HOME_KEY_UNUSABLE: "this home's key cannot be used",
  IMPORT_INVALID: "import not possible",
  INPUT_INVALID: "invalid input",
  JOURNEY_UNKNOWN: "no such journey",
  LABEL_INVALID: "invalid label",
  MODEL_BUSY: "model busy",
  MODEL_FAILED: "model failed",
  MODEL_KEY: "key rejected",
  MODEL_REDIRECTED: "model redirected",
  MODEL_REFUSED: "model refused",
  MODEL_UNKNOWN: "no such model",
  MODEL_UNREACHABLE: "model unreachable",
  NEEDS_YES: "confirmation needed",
  NOTHING_TO_COMPACT: "nothing to compact",
  NOTHING_TO_FORGET: "nothing to forget",
  NOTHING_TO_REDO: "nothing to redo",
  NO_MODEL: "no model",
  RESTORE_UNFINISHED: "restore not finished",
  RETRIES_SPENT: "no retries left",
  REWIND_REFUSED: "rewind refused",
  SEQ_CONFLICT: "another process wrote to the session",
  SESSION_AMBIGUOUS: "more than one session",
  SESSION_CLOSED: "session closed",
  SESSION_EXISTS: "session exists",
  SESSION_HELD: "session in use",
  SESSION_UNCONFIRMED: "session not confirmed",
  SESSION_UNKNOWN: "no such session",
  SETTINGS_INVALID: "invalid settings",
  SNAPSHOT_DAMAGED: "snapshot damaged",
  SNAPSHOT_MISSING: "snapshot missing",
  SNAPSHOTS_HELD: "snapshots in use",
  STEP_CHANGED: "program has changed",
  STEP_FAILED: "step failed",
  STEP_LIMIT: "step limit reached",
  STEP_UNFINISHED: "step not finished",
  STORE_BUSY: "store busy",
  STORE_FULL: "no space left",
  STORE_UNREACHABLE: "store unreachable",
  STORE_UNREADABLE: "store cannot be read",
  STORE_UNWRITABLE: "store cannot be written",
  TURN_RUNNING: "turn still running",
  USAGE: "invalid command line",
  WORKSPACE_UNUSABLE: "workspace cannot be used",
  UNEXPECTED: "unexpected error",
};

/** All strings in English. The other catalogues are checked against this one. */
export const en = {
  /** The messages and hints of all errors and remarks, by reason. */
  reasons: { ...errorsInEnglish, ...remarksInEnglish } as ErrorCatalogue,
  /** The reasons why calls need permission or are denied. */
  callReasons,
  output: {
    error: "error:",
    hint: "hint:",
    warning: "warning:",
    /** English messages are complete. Other languages put the name of the error before the message. */
    failure: (_name: string, message: string) => message,
    unwritable: (why: string) => `Could not write to standard output: ${why}`,
    /** The original message of an error that Worldline did not create. */
    unexpected: (message: string) => message,
    unexpectedHint:
      "This should not have happened. Run the command again with WORLDLINE_DEBUG=1 for details, and report them.",
  },
  /** Templates that join the parts of a line. */
  phrases: {
    aside: (what: string, about: string) => (what === "" ? `(${about})` : `${what} (${about})`),
    listed: (parts: readonly string[]) => parts.join(", "),
  },
  confirm: {
    question: (question: string) => `${question} [y/N] `,
  },
  settings: {
    unknownKey: (key: string, place: string) => `${place}: unknown setting ${key}; ignored.`,
    didYouMean: (key: string) => `Did you mean ${key}?`,
    ignoredUntilTrusted: (keys: string) =>
      `This workspace's settings are not trusted yet, so these are ignored: ${keys}. ` +
      "To review them: worldline config --explain. To trust them: worldline config trust",
    notTheWorkspaces: (keys: string) =>
      `These settings are ignored because a workspace cannot set them, even if it is trusted: ${keys}. ` +
      "To set them in your own settings: worldline config set",
    contradiction: (variable: string, key: string, place: string) =>
      `${variable} overrides ${key}, which ${place} sets to the opposite.`,
    trustUnreadable: (file: string, why: string) =>
      `Nothing is trusted, because ${file} cannot be read: ${why}. Delete it, then trust the workspace again: worldline config trust`,
    trustForeign: "it was not written by Worldline",
  },
  config: {
    fromDefault: "default",
    fromEnvironment: (variable: string) => `environment ${variable}`,
    fromFlag: "flag --setting",
    overrode: (value: string, source: string) => `overrode ${value} (${source})`,
    ignored: (value: string, source: string) => `ignored until trusted: ${value} (${source})`,
    ignoredAlways: (value: string, source: string) =>
      `ignored, because a workspace cannot set it: ${value} (${source})`,
    file: (layer: string, path: string, state: string) => `${layer} settings: ${path} (${state})`,
    fileStates: { read: "read", missing: "not found" },
    layers: { user: "user", workspace: "workspace", local: "local" },
    trust: (state: string) => `trust: ${state}`,
    trustStates: {
      trusted: "the workspace's settings are trusted",
      untrusted: "the workspace's settings are not trusted yet",
      "nothing-to-trust": "not needed: the workspace has no settings",
    },
    written: (key: string, value: string, file: string) => `Set ${key} = ${value} in ${file}`,
    alreadySet: (key: string, value: string, file: string) => `${key} is already ${value} in ${file}`,
    overriddenBy: (key: string, value: string, source: string) =>
      `${key} is still ${value} here, overridden by: ${source}`,
    stillIgnored: (key: string) =>
      `${key} is ignored here until you trust this workspace's settings: worldline config trust`,
    notChecked: (why: string) => `Saved, but ignored until this is fixed: ${why}`,
    trusted: (workspace: string, files: string) => `Trusted the current settings of ${workspace}: ${files}`,
    untrusted: (workspace: string) => `The settings of ${workspace} are no longer trusted.`,
    wasNotTrusted: (workspace: string) => `The settings of ${workspace} were not trusted.`,
    nothingToTrust: (workspace: string) => `${workspace} has no settings, so there is nothing to trust.`,
  },
  help,
  settingDescriptions,
  errors,
  agent,
  recap,
  stats,
  compact,
  resume,
  hosts,
  models,
  setup,
  time,
  sessionsHere,
  checkpoints,
  journeys,
  files,
  looking,
  sessions,
  exchange,
  markdown,
  executions,
  doctor,
  forget,
  store,
  story,
  watch,
  run,
  prove,
  find,
  terminal,
};
