import { type CheckpointingDoubt, DISABLE, ENABLE } from "../app/agent/checkpointing.ts";
import type { Notice, Progress } from "../app/notices.ts";
import type { SettingsWarning } from "../app/settings/layers.ts";
import { isUnreadable } from "../disk/lock-owner.ts";
import type { SettledRestore } from "../machine/files/requests.ts";
import { oneLine, visibleName } from "../record/visible-text.ts";
import type { Ref } from "../snapshots/keeping/ref.ts";
import type { CommandText } from "../strings/commands.ts";
import type { Problem } from "../strings/errors/texts.ts";
import type { Strings } from "../strings/strings.ts";
import { outcomeCounts } from "../travel/logged-files.ts";
import { MAX_SHOWN } from "./change-text.ts";
import { damageText, sessionName } from "./session-text.ts";
import { shortened } from "./text-width.ts";

/**
 * Everything that is needed to write a notice: the strings in the reader's language, and the wording of problems in
 * that language.
 */
interface NoticeWords {
  readonly strings: Strings;
  readonly message: (problem: Problem) => string;
  readonly hint: (problem: Problem) => string;
  readonly command: CommandText;
}

/** "notice": a message in addition to the answer. "warning": a problem that the user should know about. */
interface NoticeText {
  readonly tone: "notice" | "warning";
  readonly text: string;
  /** A hint about what the user can do next. */
  readonly hint?: string;
}

/** Returns a notice in the user's language. A notice about several items becomes several messages. */
export function noticeTexts(notice: Notice, words: NoticeWords): readonly NoticeText[] {
  const said = textOf(notice, words);
  const texts = typeof said === "string" ? [said] : said;
  const hint = hintOf(notice, words);
  return texts.map((text) => ({ tone: toneOf(notice), text, ...(hint === undefined ? {} : { hint }) }));
}

const MAX_COMMAND = 100;

const QUIET: ReadonlySet<Notice["code"]> = new Set<Notice["code"]>([
  "session-chosen",
  "session-created",
  "session-found",
  "session-elsewhere",
  "sessions-passed-over",
  "waiting",
  "store-tidied",
]);

function toneOf({ code }: Notice): NoticeText["tone"] {
  return QUIET.has(code) ? "notice" : "warning";
}

function hintOf(notice: Notice, { strings, command }: NoticeWords): string | undefined {
  if (notice.code === "commands-left-running") return strings.terminal.app.leftRunningHint;
  return notice.code === "session-not-reopened"
    ? command({ do: "open", session: notice.session })
    : undefined;
}

function textOf(notice: Notice, words: NoticeWords): string | readonly string[] {
  const { strings, message, hint } = words;
  const { sessions, sessionsHere, files } = strings;
  switch (notice.code) {
    case "settings":
    case "settings-unusable":
    case "window-unknown":
    case "trusted-later":
      return settingsNoticeText(notice, words);
    case "session-chosen":
      return sessionsHere.chosen(sessionName(notice.session, strings));
    case "session-found":
      return sessionsHere.found(sessionName(notice.session, strings));
    case "session-created":
      return sessionsHere.created(notice.session);
    case "session-elsewhere":
      return sessionsHere.elsewhere(notice.session, notice.workspace);
    case "sessions-passed-over":
      return sessionsHere.passedOver(notice.session, notice.count, words.command);
    case "session-broken":
      return sessionsHere.broken(notice.session, message(notice.problem));
    case "session-damaged":
      return sessionsHere.damaged(notice.session, notice.count);
    case "session-foreign":
      return sessionsHere.foreign(notice.session, notice.count);
    case "session-damaged-since":
      return sessionsHere.damagedSince(
        notice.session,
        notice.damage.map((damage) => damageText(damage, strings)),
      );
    case "entries-missing":
      return sessionsHere.entriesMissing(notice.entries, notice.sessions);
    case "bytes-set-aside":
      return sessionsHere.setAside(notice.bytes, notice.file);
    case "list-unwritten":
      return sessionsHere.listUnwritten(message(notice.problem));
    case "waiting":
      return waitingText(notice, strings);
    case "restore-settled":
      return settledText(notice.restore, strings);
    case "files-unwritten":
    case "restores-unsettled":
    case "session-not-reopened":
      return message(notice.problem);
    case "label-lookalike":
      return strings.checkpoints.lookalike(visibleName(notice.label), visibleName(notice.other));
    case "files-unknown":
      return files.unknown(message(notice.problem));
    case "without-files":
      return files.without(message(notice.problem));
    case "deleted-before":
      return sessions.deletedBefore(notice.sessions.join(", "), words.command);
    case "trash-not-tidied":
      return sessions.notRemoved(message(notice.problem));
    case "files-not-dropped":
    case "store-not-tidied":
    case "store-released":
    case "store-tidied":
    case "store-still-over":
      return storeText(notice, words);
    case "commands-left-running":
    case "commands-ended":
    case "commands-running":
      return commandsText(notice, strings);
    case "step-retried":
      return strings.resume.retrying({ ...notice, message: message(notice.problem) });
    case "instructions-unused":
    case "mcp-untrusted":
    case "mcp-trouble":
    case "checkpointing-doubt":
    case "claude-doubt":
    case "claude-keeps-its-own":
    case "claude-untrusted":
      return agentText(notice, words);
    case "keys-unusable":
    case "model-unusable":
      return `${message(notice.problem)} ${hint(notice.problem)}`.trim();
    case "no-summarizer":
      return strings.models.noSummariser(message(notice.problem), hint(notice.problem));
    default:
      return notice satisfies never;
  }
}

function settingsNoticeText(
  notice: Extract<
    Notice,
    { readonly code: "settings" | "settings-unusable" | "window-unknown" | "trusted-later" }
  >,
  { strings, message }: NoticeWords,
): string {
  switch (notice.code) {
    case "settings":
      return settingsText(notice.warning, strings);
    case "settings-unusable":
      return message(notice.problem);
    case "window-unknown":
      return strings.looking.windowUnknown(message(notice.problem));
    case "trusted-later":
      return strings.terminal.app.trustedLater;
    default:
      return notice satisfies never;
  }
}

type StoreNotice = Extract<
  Notice,
  {
    readonly code:
      | "files-not-dropped"
      | "store-not-tidied"
      | "store-released"
      | "store-tidied"
      | "store-still-over";
  }
>;

function storeText(
  notice: StoreNotice,
  { strings: { store }, message }: NoticeWords,
): string | readonly string[] {
  switch (notice.code) {
    case "files-not-dropped":
      return store.notDropped(notice.sessions.join(", "), message(notice.problem));
    case "store-not-tidied":
      return store.notTidied(notice.stored, notice.limit, message(notice.problem));
    case "store-released":
      return releasedTexts(notice.refs, store);
    case "store-tidied":
      return store.tidied(notice.freed, notice.limit);
    case "store-still-over":
      return store.stillOver(notice.stored, notice.limit);
    default:
      return notice satisfies never;
  }
}

type AgentNotice = Extract<
  Notice,
  {
    readonly code:
      | "instructions-unused"
      | "mcp-untrusted"
      | "mcp-trouble"
      | "checkpointing-doubt"
      | "claude-doubt"
      | "claude-keeps-its-own"
      | "claude-untrusted";
  }
>;

function agentText(notice: AgentNotice, { strings, message }: NoticeWords): string {
  const { agent, hosts } = strings;
  switch (notice.code) {
    case "instructions-unused":
      return agent.unusedInstructions[notice.why](notice.file);
    case "mcp-untrusted":
      return agent.mcpUntrusted(notice.file);
    case "mcp-trouble":
      return strings.agent.mcpTrouble(message(notice.problem));
    case "checkpointing-doubt":
      return doubtText(notice.doubt, hosts.checkpointing);
    case "claude-doubt":
      return hosts.claudeNewer(notice.version, notice.known, notice.wanted);
    case "claude-keeps-its-own":
      return hosts.claudeKeepsItsOwn;
    case "claude-untrusted":
      return hosts.claudeUntrusted;
    default:
      return notice satisfies never;
  }
}

function commandsText(
  notice: Extract<Notice, { readonly commands: readonly string[] }>,
  { journeys, resume, terminal }: Strings,
): string {
  switch (notice.code) {
    case "commands-left-running": {
      const named = notice.commands.map((line) => shortened(oneLine(line), MAX_COMMAND, "..."));
      return `${terminal.app.leftRunning(named.length)} ${named.join(", ")}`;
    }
    case "commands-ended":
      return resume.ended(notice.commands);
    case "commands-running":
      return notice.run === "killed"
        ? journeys.stillRunning(notice.commands)
        : journeys.runningNow(notice.commands);
    default:
      return notice satisfies never;
  }
}

export function settingsText(warning: SettingsWarning, { settings }: Strings): string {
  switch (warning.about) {
    case "unknown-key": {
      const { name, file, line, column, suggestion } = warning.key;
      const said = settings.unknownKey(name, `${file}:${line}:${column}`);
      return suggestion === undefined ? said : `${said} ${settings.didYouMean(suggestion)}`;
    }
    case "untrusted":
      return settings.ignoredUntilTrusted(warning.keys.join(", "));
    case "not-the-workspaces":
      return settings.notTheWorkspaces(warning.keys.join(", "));
    case "contradiction":
      return settings.contradiction(warning.variable, warning.key, warning.place);
    case "trust-damaged":
      return settings.trustUnreadable(
        warning.file,
        warning.why === "foreign" ? settings.trustForeign : warning.why.system,
      );
    default:
      return warning satisfies never;
  }
}

function waitingText(
  { owner, milliseconds }: Extract<Notice, { code: "waiting" }>,
  { sessions, sessionsHere }: Strings,
): string {
  const who = isUnreadable(owner)
    ? sessions.holders.unreadable
    : sessionsHere.owner(owner.name, owner.pid, owner.host);
  return sessionsHere.waiting(who, milliseconds);
}

function releasedTexts(refs: readonly Ref[], store: Strings["store"]): readonly string[] {
  const lines = refs.map(({ keptFor, at }) =>
    "checkpoint" in keptFor
      ? store.releasedCheckpoint(keptFor.checkpoint, keptFor.session)
      : store.releasedJourney(at, keptFor.session),
  );
  const texts = [...new Set(lines)];
  const rest = texts.length - MAX_SHOWN;
  return rest > 0 ? [...texts.slice(0, MAX_SHOWN), store.moreReleased(rest)] : texts;
}

function doubtText(doubt: CheckpointingDoubt, words: Strings["hosts"]["checkpointing"]): string {
  switch (doubt.about) {
    case "engine-without-sdk":
      return words.engineWithoutSdk;
    case "engine-and-variable":
      return words.engineAndVariable(doubt.variable);
    case "engine-and-setting":
      return words.engineAndSetting;
    case "variable-and-setting":
      return words.variableAndSetting(doubt.variable);
    case "both-variables":
      return words.bothVariables(ENABLE, DISABLE);
    case "not-understood":
      return words.notUnderstood(doubt.variable, doubt.value);
    default:
      return doubt satisfies never;
  }
}

/** Returns one line about the work's progress. */
export function progressText(progress: Progress, { compact, files, store }: Strings): string {
  switch (progress.doing) {
    case "restore":
      return files.restoring(progress.done, progress.of);
    case "capture":
      return progress.phase === "looking"
        ? files.capturing(progress.files, progress.bytes)
        : files.storing(progress.files, progress.ofFiles, progress.bytes);
    case "verify":
      return progress.phase === "reading"
        ? store.reading(progress.done, progress.of)
        : store.walking(progress.done, progress.of);
    case "collect":
      return store.walking(progress.done, progress.of);
    case "export":
      return files.exporting(progress.done, progress.of);
    case "summarize":
      return compact.asking(progress.model);
    default:
      return progress satisfies never;
  }
}

/** Returns one line about a restore that a crash interrupted, and its outcome. */
export function settledText({ session, journey, log, paths }: SettledRestore, { files }: Strings): string {
  if (journey === undefined && log === undefined) return files.discarded(session);
  const outcome = files.counts(outcomeCounts(paths));
  return log === "nowhere" ? files.settledUnlogged(session, outcome) : files.settled(session, outcome);
}
