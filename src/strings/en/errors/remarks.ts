import { type ParamsOf, type Problem, remark } from "../../errors/texts.ts";
import { providers } from "./explanations.ts";
import { importWarnings } from "./import-warnings.ts";
import { mcpFaults, mcpServers } from "./mcp.ts";
import { httpFaults } from "./models.ts";
import { toolRefusals } from "./tool-refusals.ts";

interface SystemError {
  /** The system's code, such as `EIO`. */
  readonly errno: string;
}

interface Gaps {
  readonly count: number;
  /** The first few paths, each with the reason why it was not captured: `unreadable`, `changing`, `path-too-long`. */
  readonly paths: readonly { readonly path: string; readonly why: string }[];
}

interface Blob {
  readonly hash: string;
}

interface InSession {
  readonly session: string;
}

interface About {
  readonly problem: Problem;
}

const inTheWay = "something else is in the way";
const folderReplaced = "one of its parent folders was replaced in the meantime";

/** The reasons why a journey did not restore a path as planned. */
const paths = {
  "kept-outside": remark(() => "changed outside this session"),
  "kept-unmerged": remark(() => "changed outside this session, and the changes conflict"),
  "kept-not-captured": remark(() => "captured neither at the checkpoint nor now"),
  "kept-unreadable": remark(() => "can no longer be read"),
  "kept-never-captured": remark(() => "never captured"),
  "kept-ignored": remark(() => "ignored, and also changed outside this timeline"),
  "kept-holds-kept": remark(() => "contains a kept path"),
  "kept-needs-kept": remark(() => "conflicts with a kept path"),
  "kept-not-asked": remark(() => "needs a path that was not selected"),
  "kept-elsewhere": remark(() => "now points elsewhere, or is no longer a file"),
  "kept-untracked": remark(
    () => "not in the agent's own file checkpoints, which omit changes made by commands and sub-agents",
  ),
  "kept-cut-off": remark(
    () => "the rewind was interrupted before it reached this path, or did not include the path",
  ),
  "kept-chosen": remark(() => "you chose to keep it"),
  "kept-journey-not-written": remark(() => "the journey could not be written to the log"),
  "path-permission": remark(() => "permission denied"),
  "path-disk-read-only": remark(() => "the disk is read-only"),
  "path-disk-full": remark(() => "the disk is full"),
  "path-many-open-files": remark(() => "too many files are open: raise the limit (ulimit -n)"),
  "path-in-the-way": remark(() => inTheWay),
  "path-folder-replaced": remark(() => folderReplaced),
  "path-system-error": remark(({ errno }: SystemError) => `the system reported ${errno}`),
  "path-not-as-written": remark(() => "it was different when it was read back"),
  "path-hard-link-split": remark(() => "a hard link was broken"),
  "path-link-now": remark(() => "it is now a link, so it is skipped"),
  "path-backup-missing": remark(() => "its backup is missing, or it could not be written"),
  "path-known-later": remark(
    () => "not as it was at the checkpoint: the agent's own checkpoints have only a later version",
  ),
  "path-not-checked": remark(() => "its state could not be checked"),
};

/** The reasons why a restore left a path unchanged, and the problems that occurred at a path. */
const restores = {
  "restore-changed-meanwhile": remark(() => "changed in the meantime"),
  "restore-changed-since": remark(() => "changed since"),
  "restore-left-out": remark(() => "not captured"),
  "restore-holds-kept": remark(() => "something in it was kept"),
  "restore-holds-uncaptured": remark(() => "something in it is not captured"),
  "restore-link-in-the-way": remark(() => "a link is in the way"),
  "restore-file-in-the-way": remark(() => "something that is not a folder is in the way"),
  "restore-folder-missing": remark(() => "its folder is missing"),
  "restore-not-allowed": remark(() => "a restore is not allowed to change this path"),
  "restore-git-name": remark(() => "this file system treats its name as .git"),
  "restore-not-carried-out": remark(() => "not carried out"),
  "restore-wrong-after-writing": remark(() => "its content or mode was wrong after the restore"),
  "restore-temporary-left": remark(() => "a temporary file in its folder could not be removed"),
  "restore-kept-aside": remark(
    ({ path }: { readonly path: string }) => `the file there changed in the meantime and is kept as ${path}`,
  ),
  "restore-not-read-again": remark(
    ({ problem }: About, { message }) => `could not be read back: ${message(problem)}`,
  ),
  "restore-not-durable": remark(
    ({ problem }: About, { message }) => `could not be flushed to disk: ${message(problem)}`,
  ),
  "restore-mode-not-set": remark(
    ({ problem }: About, { message }) => `its mode could not be set: ${message(problem)}`,
  ),
  "restore-mode-not-returned": remark(
    ({ problem }: About, { message }) => `its mode could not be restored: ${message(problem)}`,
  ),
  "restore-folder-mode-not-returned": remark(
    ({ problem }: About, { message }) => `the mode of its folder could not be restored: ${message(problem)}`,
  ),
  "restore-system-error": remark(({ errno }: SystemError) => {
    const words = Object.hasOwn(errnos, errno) ? errnos[errno as keyof typeof errnos] : undefined;
    return words === undefined ? errno : `${words} (${errno})`;
  }),
};

const errnos = {
  EACCES: "permission denied",
  EBUSY: "in use",
  EDQUOT: "disk quota exceeded",
  EFBIG: "too large for this file system",
  EIO: "disk error",
  ELOOP: "a link is in the way",
  EMLINK: "too many links",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many open files: raise the limit (ulimit -n) and try again",
  ENFILE: "too many open files on this machine",
  ENOENT: "it disappeared in the meantime",
  ENOSPC: "the disk is full",
  ENOTDIR: "something that is not a folder is in the way",
  EPERM: "not permitted",
  ESTALE: "something else took its place",
  EROFS: "the file system is read-only",
};

/** The gaps in a capture, and the reasons why a checkpoint has no files. */
const captures = {
  "capture-gaps": remark(({ count, paths: named }: Gaps) => {
    const shown = named.map(({ path, why }) => `${path} (${why})`).join(", ");
    const rest = count > named.length ? ", …" : "";
    return `${count === 1 ? "1 path" : `${count} paths`} could not be captured: ${shown}${rest}`;
  }),
  "capture-never-made": remark(() => "it was not captured"),
};

/** The reasons why a requested backtrack was dropped. The model gets the English text, which the log then stores. */
const backtracks = {
  "backtrack-turn-interrupted": remark(() => "The turn was interrupted."),
  "backtrack-turn-ended": remark(() => "The turn ended."),
  "backtrack-turn-ended-meanwhile": remark(() => "The turn ended in the meantime."),
  "backtrack-person-rewound": remark(() => "The user rewound the conversation."),
  "backtrack-person-redid": remark(() => "The user redid a rewind or backtrack."),
  "backtrack-plan-mode": remark(
    () =>
      'Files cannot be restored in plan mode. Go back with files "keep", or show the plan with ExitPlanMode first.',
  ),
  "backtrack-step-over": remark(() => "The step that requested it has ended."),
  "backtrack-call-denied": remark(() => "Another call in the same reply was denied."),
  "backtrack-call-unfinished": remark(() => "Another call in the same reply did not finish."),
  "capture-failed": remark(
    ({ checkpoint, problem }: About & { readonly checkpoint?: number }, { message }) =>
      `The files ${checkpoint === undefined ? "" : `for checkpoint ${checkpoint} `}were not captured: ${message(problem)}`,
  ),
  "capture-in-part": remark(
    ({ problem }: About, { message }) => `Only some of the files were captured: ${message(problem)}`,
  ),
  "backtrack-dropped": remark(
    ({ problem }: About, { message }) => `A backtrack was dropped. ${message(problem)}`,
  ),
  "backtrack-files-not-restored": remark(
    ({ problem }: About, { message }) => `The files could not be restored. ${message(problem)}`,
  ),
};

/** Warnings that are shown while an agent works. */
const warnings = {
  "capture-still-running": remark(() => "The files are still being captured."),
  "left-running": remark(
    /** `program`: the agent's own program, whose processes were stopped too. */
    ({ commands, program }: { readonly commands: readonly string[]; readonly program?: string }) => {
      const all =
        program === undefined ? commands : [`${program} and everything that it started`, ...commands];
      return `Commands that the killed run left running were stopped: ${all.join("; ")}`;
    },
  ),
  "command-continues": remark(
    () =>
      "Processes that the command started continue in the background. They stop when you exit Worldline, or when you stop them during a rewind.",
  ),
  "reply-cut": remark(() => "The reply hit the model's output limit."),
};

/** The kinds of damage in a log. */
const damage = {
  "damage-checksum": remark(() => "The checksum does not match the line."),
  "damage-not-json": remark(() => "The line is not a JSON object."),
  "damage-not-utf8": remark(() => "The line is not UTF-8."),
  "damage-shape": remark(() => "The line does not have the fields that its kind requires."),
  "damage-lines-missing": remark(
    ({ lines }: { readonly lines: number }) => `Number of lines missing before this one: ${lines}.`,
  ),
  "damage-repeated": remark(() => "The line is already in the log."),
  "damage-header": remark(() => "The first line cannot be read; its copy in session.json is used instead."),
  "damage-torn-tail": remark(() => "The last line was not completely written."),
  "damage-displaced": remark(() => "The line is out of order, so it is not read. It is still in the file."),
  "damage-cut-off": remark(() => "The log has no readable entries."),
  "damage-lines-gone": remark(
    ({ lines }: { readonly lines: number }) =>
      `Number of lines listed here in the index but missing from the log: ${lines}.`,
  ),
  "damage-newest-file-missing": remark(() => "The file is missing. The newest lines are lost with it."),
  "damage-file-missing": remark(() => "The file is missing. Its lines are lost with it."),
  "damage-header-copy": remark(() => "The copy of the first line cannot be read."),
  "damage-line": remark(({ fault }: { readonly fault: string }) => `The line cannot be read (${fault}).`),
  "damage-line-gone": remark(() => "The line is missing."),
  "damage-blob-gone": remark(({ hash }: Blob) => `Blob ${hash} is missing.`),
  "damage-blob-other-bytes": remark(({ hash }: Blob) => `Blob ${hash} does not match its hash.`),
  "damage-blob-file-gone": remark(() => "The blob is missing."),
  "damage-blob-file-other-bytes": remark(() => "The blob does not match its hash."),
  "damage-blob-file-unreadable": remark(({ errno }: SystemError) => `The blob could not be read (${errno}).`),
  "damage-blob-lost": remark(({ hash }: Blob) => `Blob ${hash} is lost.`),
  "damage-entries-missing": remark(
    ({ entries, from, until }: { readonly entries: number; readonly from: number; readonly until: string }) =>
      `${entries} acknowledged entries are missing, starting at line ${from}. The newest missing entry is from ${until}; the database is in an older state.`,
  ),
};

const LOST = "The lost data cannot be restored here, but the rest of the session is not affected.";

/** Problems other than damage that `doctor` finds in a session, with its advice and its repairs. */
const health = {
  "health-unrepairable": remark(() => "Worldline cannot repair it."),
  "health-newer-format": remark(
    ({ format, ours }: { readonly format: number; readonly ours: number }) =>
      `The session was written by a newer version of Worldline (format ${format}; this version writes format ${ours}).`,
  ),
  "health-newer-format-hint": remark(
    () => "This version can read the session but cannot continue it. Update Worldline.",
  ),
  "health-foreign": remark(({ entries }: { readonly entries: number }) =>
    entries === 1
      ? "1 entry is of a kind that this version does not recognize. It is kept but skipped."
      : `${entries} entries are of kinds that this version does not recognize. They are kept but skipped.`,
  ),
  "health-foreign-hint": remark(() => "Update Worldline to see them."),
  "health-unfinished": remark(
    ({ calls }: { readonly calls: readonly string[] }) =>
      `Tool calls were started but have not finished: ${calls.join(", ")}. They may or may not have taken effect.`,
  ),
  "health-unfinished-hint": remark(
    ({ session }: InSession, { command }) =>
      `If no program is working on the session, see how far the calls got: ${command({ do: "log", session })}, or ${command({ do: "sessions show", session })}`,
  ),
  "health-line-hint": remark(
    () => `${LOST} Another copy of the file, such as a backup, may still contain the line.`,
  ),
  "health-lost-hint": remark(() => LOST),
  "health-repeated-hint": remark(() => "The first of the two lines is used. You do not need to do anything."),
  "health-torn-tail-hint": remark(
    (_: unknown, { command }) =>
      `A crash interrupted the last write. When the session is next opened, the incomplete line is moved to a separate file and kept there. To do this now, run: ${command({ do: "doctor", fix: true })}`,
  ),
  "health-blob-hint": remark(() => `Some long text is lost and is marked as lost. ${LOST}`),
  "health-header-hint": remark(
    () =>
      "The first line is stored twice, and the other copy is intact. Fork the session to get two intact copies again.",
  ),
  "health-headers-lost-hint": remark(
    ({ session }: InSession, { command }) =>
      `The first line of the log is lost too, so the session's workspace is unknown. To read what is left, run \`${command({ do: "log", session })}\`. If nothing is left, delete the session: ${command({ do: "sessions delete", session })}`,
  ),
  "health-file-hint": remark(() => `${LOST} If you have a copy of the file, put it back.`),
  "health-set-aside": remark(
    ({ file, bytes }: { readonly file: string; readonly bytes: number }) =>
      `${bytes} bytes of an incomplete line were moved to a separate file (${file}).`,
  ),
  "health-line-ended": remark(() => "The last line was completed."),
  /** `owner`: "" if the lock did not name its owner. */
  "health-lock-removed": remark(({ owner }: { readonly owner: string }) =>
    owner === ""
      ? "A lock that could not be read was removed."
      : `The lock held by ${owner}, which no longer uses the session, was removed.`,
  ),
  "health-still-there": remark(() => "The problem is still there."),
};

/** The reasons why a line of another program's session was not imported. */
const imported = {
  "kimi-not-an-object": remark(() => "it is not a JSON object"),
  "kimi-glued": remark(() => "several records are on one line"),
  "kimi-not-utf8": remark(() => "it contains bytes that are not UTF-8"),
  "kimi-content-not-text": remark(() => "its content is not text"),
  "kimi-id-not-whole": remark(() => "its id is not a whole number"),
  "kimi-count-not-number": remark(() => "its token_count is not a number"),
  "kimi-content-unknown": remark(() => "its content is neither text nor a list of known parts"),
  "kimi-role-unknown": remark(() => "its role is unknown"),
  "kimi-calls-wrong": remark(() => "its tool_calls are invalid"),
  "kimi-no-call": remark(() => "it does not say which call it answers"),
};

/** Several remarks about the same subject, in order. */
const lists = {
  several: remark(({ problems }: { readonly problems: readonly Problem[] }, { message }) =>
    problems.map(message).join("; "),
  ),
};

/** Short messages that logs and results contain in English, together with their codes and parameters. */
export const remarksInEnglish = {
  ...paths,
  ...restores,
  ...captures,
  ...backtracks,
  ...warnings,
  ...damage,
  ...health,
  ...imported,
  ...lists,
  ...toolRefusals,
  ...httpFaults,
  ...importWarnings,
  ...mcpFaults,
  ...mcpServers,
  ...providers,
};

export type RemarkReason = keyof typeof remarksInEnglish;

export type RemarkParams<Reason extends RemarkReason = RemarkReason> = ParamsOf<
  (typeof remarksInEnglish)[Reason]
>;
