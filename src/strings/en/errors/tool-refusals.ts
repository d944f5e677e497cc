import { type Problem, remark } from "../../errors/texts.ts";

export interface InFile {
  /** The file, relative to the workspace if it is inside. */
  readonly path: string;
}

export interface AboutFile extends InFile {
  readonly problem: Problem;
}

/** Why a tool cannot open or write a file, as a clause without a period. */
const faults = {
  "file-links-circle": remark(() => CIRCLE),
  "file-link-now": remark(() => "a symbolic link has just taken its place"),
  "file-is-fifo": remark(() => "it is a FIFO, which is never opened"),
  "file-is-socket": remark(() => "it is a socket, which is never opened"),
  "file-is-device": remark(() => "it is a device, which is never opened"),
  "file-system-error": remark(
    /** `said`: the system's own words, for a code that has no words here. */
    ({ errno, said }: { readonly errno: string; readonly said: string }) =>
      Object.hasOwn(errnos, errno) ? errnos[errno as keyof typeof errnos] : said,
  ),
};

const CIRCLE = "its symbolic links lead in a circle";

const errnos = {
  EACCES: "permission denied",
  EBUSY: "it is in use",
  EDQUOT: "the disk quota is used up",
  EEXIST: "something with that name is in the way",
  EIO: "disk error",
  EISDIR: "it is a folder",
  ELOOP: CIRCLE,
  ENAMETOOLONG: "the name is too long",
  ENOENT: "it is not there",
  ENOSPC: "the disk is full",
  ENOTDIR: "a folder of its path is a file",
  EPERM: "operation not permitted",
  EMFILE: "too many files are open; a higher limit helps (ulimit -n)",
  EROFS: "the file system is read-only",
  PARENT_CHANGED: "a folder on the way to it was replaced by a link",
  NOT_A_FILE: "it is no longer a file",
};

/** Why a tool would not change a file. */
const refusals = {
  "nothing-there": remark(
    /** `similar`: existing paths with similar names. */
    ({
      kind,
      path,
      similar,
    }: InFile & { readonly kind: "file" | "folder" | "any"; readonly similar: readonly string[] }) => {
      const asked = similar.length === 0 ? "" : ` Did you mean ${similar.join(" or ")}?`;
      return `There is no ${kind === "any" ? "" : `${kind} `}${path}.${asked}`;
    },
  ),
  "file-is-folder": remark(({ path }: InFile) => `${path} is a folder.`),
  "tool-cannot-write": remark(
    ({ path, problem }: AboutFile, { message }) => `${path} cannot be written: ${message(problem)}.`,
  ),
  "tool-cannot-read": remark(
    ({ path, problem }: AboutFile, { message }) => `${path} cannot be read: ${message(problem)}.`,
  ),
  "file-too-large": remark(
    ({ path }: InFile) => `${path} is larger than 50 MB. Change it with a command, by Bash.`,
  ),
  "file-elsewhere": remark(
    ({ path }: InFile) =>
      `${path} leads elsewhere than when it was asked about. Look where it leads, and try again.`,
  ),
  "file-not-read": remark(
    ({ path }: InFile) => `${path} is there, but you have not read it in this conversation. Read it first.`,
  ),
  "file-changed-since-read": remark(
    ({ path }: InFile) => `${path} has changed since you read it. Read it again, then change it.`,
  ),
  "file-read-only": remark(({ path }: InFile) => `${path} is read-only. Change its mode first, by Bash.`),
  "edit-without-change": remark(() => "old_string and new_string are the same: there is nothing to change."),
  "edit-file-exists": remark(
    ({ path }: InFile) =>
      `${path} already exists: an empty old_string only creates a new file. Use Write to replace all of it.`,
  ),
  "edit-not-text": remark(
    ({ path }: InFile) => `${path} is no UTF-8 text: an edit would damage it. Change it by Bash.`,
  ),
  "edit-several": remark(
    ({ path, times }: InFile & { readonly times: number }) =>
      `old_string occurs ${times} times in ${path}. Give more lines around the one you mean, or set replace_all.`,
  ),
  "edit-leaves-file": remark(({ path }: InFile) => `The edit would leave ${path} as it is.`),
  "edit-text-missing": remark(
    ({ path, advice }: InFile & { readonly advice: keyof typeof advices }) =>
      `old_string is not in ${path}. ${advices[advice]}`,
  ),
  "notebook-unreadable": remark(({ path }: InFile) => `${path} is not a notebook.`),
  "notebook-cell-missing": remark(
    ({ path, cell }: InFile & { readonly cell: string }) => `There is no cell ${cell} in ${path}.`,
  ),
};

const advices = {
  "line-numbers": "Leave out the line numbers that Read puts before each line.",
  whitespace: "It is there with other whitespace: copy the indentation and line breaks exactly.",
  "read-again": "Read the place again and copy it exactly.",
  exactly: "Copy it exactly from the file, with its quotation marks and blanks.",
};

/** Why a page would not be fetched. */
const addresses = {
  "not-a-url": remark(
    ({ text }: { readonly text: string }) => `${text} is no URL. Give one with http:// or https://.`,
  ),
  "url-protocol": remark(
    ({ protocol }: { readonly protocol: string }) => `Only http and https can be fetched, not ${protocol}//.`,
  ),
  "url-with-login": remark(() => "A URL with a user name or password is not fetched."),
};

/** Why a call would fail. The model gets the English text, and a question shows it to the user. */
export const toolRefusals = { ...faults, ...refusals, ...addresses };
