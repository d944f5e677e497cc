/**
 * Why a path of a journey was kept or failed, or what else there is to say of it, by its code. A log has these words beside the
 * codes, for programs that know no codes.
 */
export const pathReasons = {
  plain: {
    // Decided before anything is written.
    outside: "changed by somebody else since",
    unmerged: "changed by somebody else since, and the changes do not fit together",
    "not-captured": "not captured, then or now",
    unreadable: "cannot be read now",
    "never-captured": "never captured",
    ignored: "ignored, and not only the work of this timeline",
    "holds-kept": "holds what is kept",
    "needs-kept": "has no place beside what is kept",
    "not-asked": "has no place without what was not asked for",
    elsewhere: "leads elsewhere now, or is no file any more",
    untracked: "not in the agent's own file checkpoints, as what commands and sub-agents do is not",
    "cut-off": "the rewind was cut off before it, or did not know it",
    chosen: "you chose to keep it",
    // Found while the files were restored.
    "changed-meanwhile": "changed meanwhile",
    "changed-since": "changed since",
    "left-out": "not captured",
    "holds-kept-path": "something in it was kept",
    "holds-uncaptured": "something in it is not captured",
    "link-in-the-way": "a link stands in its way",
    "file-in-the-way": "something that is no folder stands in its way",
    "folder-missing": "its folder is not there",
    "folder-replaced": "a folder on the way to it was replaced meanwhile",
    "not-allowed": "not a path that a restore may change",
    "git-name": "this file system takes its name for .git",
    "not-carried-out": "not carried out",
    "wrong-after-writing": "not as it should be after writing",
    "temporary-left": "a temporary file could not be removed from its folder",
    "link-came-apart": "a hard link came apart",
    "journey-unwritten": "the journey could not be written down",
    // Of files that another agent took back.
    "not-looked-at": "what became of it could not be looked at",
    "not-as-at-checkpoint":
      "not as it was at the checkpoint: the agent's own checkpoints know it from later on",
    "link-passed-over": "it is a link now, which is passed over",
    "backup-missing": "its backup is missing, or it could not be written",
  },
  /** With the reason that is behind it, as text. */
  because: {
    "not-read-again": (by: string) => `could not be read again: ${by}`,
    "not-durable": (by: string) => `could not be made durable: ${by}`,
    "mode-not-set": (by: string) => `its mode could not be set: ${by}`,
    "mode-not-returned": (by: string) => `it did not get its mode back: ${by}`,
    "folder-mode-not-returned": (by: string) => `its folder did not get its mode back: ${by}`,
  },
  "kept-aside": (path: string) => `what was there was changed meanwhile, and is kept as ${path}`,
  /** What the system said. */
  errnos: {
    EACCES: "permission denied",
    EBUSY: "in use",
    EDQUOT: "the quota is used up",
    EEXIST: "something else is in its way",
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
  },
  errno: (errno: string, words: string | undefined) => (words === undefined ? errno : `${words} (${errno})`),
  separator: "; ",
};
