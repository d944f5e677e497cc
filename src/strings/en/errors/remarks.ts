import { type ParamsOf, type Problem, remark } from "../../errors/texts.ts";
import { providers } from "./explanations.ts";
import { importWarnings } from "./import-warnings.ts";
import { mcpFaults, mcpServers } from "./mcp.ts";

interface SystemError {
  /** The system's name for it, such as `EIO`. */
  readonly errno: string;
}

interface Gaps {
  readonly count: number;
  /** The first of them, with why each is not captured: `unreadable`, `changing`, `path-too-long`. */
  readonly paths: readonly { readonly path: string; readonly why: string }[];
}

interface Blob {
  readonly hash: string;
}

interface About {
  readonly problem: Problem;
}

const inTheWay = "something else is in its way";
const folderReplaced = "a folder on the way to it was replaced meanwhile";

/** Why one path of a journey is not simply as it was to be. */
const paths = {
  "kept-outside": remark(() => "changed by somebody else since"),
  "kept-unmerged": remark(() => "changed by somebody else since, and the changes do not fit together"),
  "kept-not-captured": remark(() => "not captured, then or now"),
  "kept-unreadable": remark(() => "cannot be read now"),
  "kept-never-captured": remark(() => "never captured"),
  "kept-ignored": remark(() => "ignored, and not only the work of this timeline"),
  "kept-holds-kept": remark(() => "holds what is kept"),
  "kept-needs-kept": remark(() => "has no place beside what is kept"),
  "kept-not-asked": remark(() => "has no place without what was not asked for"),
  "kept-elsewhere": remark(() => "leads elsewhere now, or is no file any more"),
  "kept-untracked": remark(
    () => "not in the agent's own file checkpoints, as what commands and sub-agents do is not",
  ),
  "kept-cut-off": remark(() => "the rewind was cut off before it, or did not know it"),
  "kept-chosen": remark(() => "you chose to keep it"),
  "kept-journey-not-written": remark(() => "the journey could not be written down"),
  "path-permission": remark(() => "permission denied"),
  "path-disk-read-only": remark(() => "the disk is read-only"),
  "path-disk-full": remark(() => "there is no room on the disk"),
  "path-many-open-files": remark(() => "too many files are open: raise the limit (ulimit -n)"),
  "path-in-the-way": remark(() => inTheWay),
  "path-folder-replaced": remark(() => folderReplaced),
  "path-system-error": remark(({ errno }: SystemError) => `the system said ${errno}`),
  "path-not-as-written": remark(() => "read again, it was not as it should be"),
  "path-hard-link-split": remark(() => "a hard link came apart"),
  "path-link-now": remark(() => "it is a link now, which is passed over"),
  "path-backup-missing": remark(() => "its backup is missing, or it could not be written"),
  "path-known-later": remark(
    () => "not as it was at the checkpoint: the agent's own checkpoints know it from later on",
  ),
  "path-not-checked": remark(() => "what became of it could not be looked at"),
};

/** What a restore found at a path, or could not do there. */
const restores = {
  "restore-changed-meanwhile": remark(() => "changed meanwhile"),
  "restore-changed-since": remark(() => "changed since"),
  "restore-left-out": remark(() => "not captured"),
  "restore-holds-kept": remark(() => "something in it was kept"),
  "restore-holds-uncaptured": remark(() => "something in it is not captured"),
  "restore-link-in-the-way": remark(() => "a link stands in its way"),
  "restore-file-in-the-way": remark(() => "something that is no folder stands in its way"),
  "restore-folder-missing": remark(() => "its folder is not there"),
  "restore-not-allowed": remark(() => "not a path that a restore may change"),
  "restore-git-name": remark(() => "this file system takes its name for .git"),
  "restore-not-carried-out": remark(() => "not carried out"),
  "restore-wrong-after-writing": remark(() => "not as it should be after writing"),
  "restore-temporary-left": remark(() => "a temporary file could not be removed from its folder"),
  "restore-kept-aside": remark(
    ({ path }: { readonly path: string }) => `what was there was changed meanwhile, and is kept as ${path}`,
  ),
  "restore-not-read-again": remark(
    ({ problem }: About, { message }) => `could not be read again: ${message(problem)}`,
  ),
  "restore-not-durable": remark(
    ({ problem }: About, { message }) => `could not be made durable: ${message(problem)}`,
  ),
  "restore-mode-not-set": remark(
    ({ problem }: About, { message }) => `its mode could not be set: ${message(problem)}`,
  ),
  "restore-mode-not-returned": remark(
    ({ problem }: About, { message }) => `it did not get its mode back: ${message(problem)}`,
  ),
  "restore-folder-mode-not-returned": remark(
    ({ problem }: About, { message }) => `its folder did not get its mode back: ${message(problem)}`,
  ),
  "restore-system-error": remark(({ errno }: SystemError) => {
    const words = Object.hasOwn(errnos, errno) ? errnos[errno as keyof typeof errnos] : undefined;
    return words === undefined ? errno : `${words} (${errno})`;
  }),
};

const errnos = {
  EACCES: "permission denied",
  EBUSY: "in use",
  EDQUOT: "the quota is used up",
  EFBIG: "too large for this file system",
  EIO: "the disk failed",
  ELOOP: "a link stands in its way",
  EMLINK: "too many links",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many open files: raise the limit (ulimit -n) and try again",
  ENFILE: "too many open files on this machine",
  ENOENT: "it went away meanwhile",
  ENOSPC: "no room on the disk",
  ENOTDIR: "something that is no folder stands in its way",
  EPERM: "not permitted",
  ESTALE: "something else took its place meanwhile",
  EROFS: "the file system is read-only",
};

/** What a capture did not get, and why a checkpoint has no files. */
const captures = {
  "capture-gaps": remark(({ count, paths: named }: Gaps) => {
    const shown = named.map(({ path, why }) => `${path} (${why})`).join(", ");
    const rest = count > named.length ? ", …" : "";
    return `${count === 1 ? "1 path" : `${count} paths`} could not be captured: ${shown}${rest}`;
  }),
  "capture-never-made": remark(() => "it was not captured"),
};

/** Why a backtrack that the agent had asked for was dropped. The model has read the English: it never changes. */
const backtracks = {
  "backtrack-turn-interrupted": remark(() => "The turn was interrupted."),
  "backtrack-turn-ended": remark(() => "The turn ended."),
  "backtrack-turn-ended-meanwhile": remark(() => "The turn was ended meanwhile."),
  "backtrack-person-rewound": remark(() => "The person rewound the conversation."),
  "backtrack-person-redid": remark(() => "The person went forward again."),
  "backtrack-plan-mode": remark(
    () =>
      'Files cannot be restored in plan mode. Go back with files "keep", or show the plan with ExitPlanMode first.',
  ),
  "backtrack-step-over": remark(() => "The step that it was asked for in is over."),
  "backtrack-call-denied": remark(() => "A call beside it was denied."),
  "backtrack-call-unfinished": remark(() => "A call beside it did not finish."),
  "capture-failed": remark(
    ({ checkpoint, problem }: About & { readonly checkpoint?: number }, { message }) =>
      `The files ${checkpoint === undefined ? "" : `of checkpoint ${checkpoint} `}were not captured: ${message(problem)}`,
  ),
  "capture-in-part": remark(
    ({ problem }: About, { message }) => `The files were captured in part: ${message(problem)}`,
  ),
  "backtrack-dropped": remark(
    ({ problem }: About, { message }) => `A backtrack was dropped. ${message(problem)}`,
  ),
  "backtrack-files-not-restored": remark(
    ({ problem }: About, { message }) => `The files could not be taken back. ${message(problem)}`,
  ),
};

/** What the user is warned of while an agent works. */
const warnings = {
  "capture-still-running": remark(() => "The files are still being captured."),
  "left-running": remark(
    ({ commands }: { readonly commands: readonly string[] }) =>
      `The run that was killed had left commands running, which were ended: ${commands.join("; ")}`,
  ),
  "reply-cut": remark(() => "The reply hit the model's output limit."),
};

/** What is wrong at one place of a log. */
const damage = {
  "damage-checksum": remark(() => "The checksum is not that of the line."),
  "damage-not-json": remark(() => "The line is not a JSON object."),
  "damage-not-utf8": remark(() => "The line is not UTF-8."),
  "damage-shape": remark(() => "The line is not as its kind demands."),
  "damage-lines-missing": remark(
    ({ lines }: { readonly lines: number }) => `Lines are missing before this one: ${lines}.`,
  ),
  "damage-repeated": remark(() => "The line stands in the log already."),
  "damage-header": remark(() => "The first line cannot be read; its copy in session.json stands in for it."),
  "damage-torn-tail": remark(() => "The last line was not written to its end."),
  "damage-displaced": remark(
    () => "The line stands behind a later one, where it is not read. It is still in the file.",
  ),
  "damage-cut-off": remark(() => "The log holds no entry that can be read."),
  "damage-lines-gone": remark(
    ({ lines }: { readonly lines: number }) =>
      `Lines that the index knew here are gone from the log: ${lines}.`,
  ),
  "damage-newest-file-missing": remark(() => "The file is not there. The newest lines are lost with it."),
  "damage-file-missing": remark(() => "The file is not there. Its lines are lost with it."),
  "damage-header-copy": remark(() => "The copy of the first line cannot be read."),
  "damage-line": remark(({ fault }: { readonly fault: string }) => `The line cannot be read (${fault}).`),
  "damage-line-gone": remark(() => "The line is not there."),
  "damage-blob-gone": remark(({ hash }: Blob) => `Blob ${hash} is not there.`),
  "damage-blob-other-bytes": remark(({ hash }: Blob) => `Blob ${hash} is not what its name says.`),
  "damage-blob-file-gone": remark(() => "The blob is not there."),
  "damage-blob-file-other-bytes": remark(() => "The blob is not what its name says."),
  "damage-blob-file-unreadable": remark(({ errno }: SystemError) => `The blob could not be read (${errno}).`),
  "damage-blob-lost": remark(({ hash }: Blob) => `Blob ${hash} is lost.`),
  "damage-entries-missing": remark(
    ({ entries, from, until }: { readonly entries: number; readonly from: number; readonly until: string }) =>
      `${entries} acknowledged entries are missing from line ${from} on, the last of ${until}: the database is older than that`,
  ),
};

/** Why a line of another program's session was not imported. */
const imported = {
  "kimi-not-an-object": remark(() => "it is not a JSON object"),
  "kimi-glued": remark(() => "several records are glued together"),
  "kimi-not-utf8": remark(() => "it holds bytes that are not UTF-8"),
  "kimi-content-not-text": remark(() => "its content is not text"),
  "kimi-id-not-whole": remark(() => "its id is not a whole number"),
  "kimi-count-not-number": remark(() => "its token_count is not a number"),
  "kimi-content-unknown": remark(() => "its content is neither text nor a list of known parts"),
  "kimi-role-unknown": remark(() => "its role is not known"),
  "kimi-calls-wrong": remark(() => "its tool_calls are not as they must be"),
  "kimi-no-call": remark(() => "it does not say which call it answers"),
};

/** Several remarks about one thing, in their order. */
const lists = {
  several: remark(({ problems }: { readonly problems: readonly Problem[] }, { message }) =>
    problems.map(message).join("; "),
  ),
};

/** Short texts that logs and results keep in English, beside what they were made from. */
export const remarksInEnglish = {
  ...paths,
  ...restores,
  ...captures,
  ...backtracks,
  ...warnings,
  ...damage,
  ...imported,
  ...lists,
  ...importWarnings,
  ...mcpFaults,
  ...mcpServers,
  ...providers,
};

export type RemarkReason = keyof typeof remarksInEnglish;

export type RemarkParams<Reason extends RemarkReason = RemarkReason> = ParamsOf<
  (typeof remarksInEnglish)[Reason]
>;
