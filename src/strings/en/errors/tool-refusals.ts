import { type Problem, remark } from "../../errors/texts.ts";

export interface InFile {
  /** The file, relative to the workspace if it is inside. */
  readonly path: string;
}

export interface AboutFile extends InFile {
  readonly problem: Problem;
}

/** The reasons why a tool cannot open or write a file, each as a clause without a period. */
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

const CIRCLE = "its symbolic links form a loop";

const errnos = {
  EACCES: "permission denied",
  EBUSY: "it is in use",
  EDQUOT: "the disk quota is used up",
  EEXIST: "something with that name is in the way",
  EIO: "disk error",
  EISDIR: "it is a folder",
  ELOOP: CIRCLE,
  ENAMETOOLONG: "the name is too long",
  ENOENT: "it does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "part of its path is not a folder",
  EPERM: "operation not permitted",
  EMFILE: "too many files are open; raise the limit (ulimit -n)",
  EROFS: "the file system is read-only",
  PARENT_CHANGED: "a folder in its path was replaced by a link",
  NOT_A_FILE: "it is no longer a file",
};

/** The reasons why a tool would refuse to change a file. */
const refusals = {
  "nothing-there": remark(
    /** `similar`: existing paths with similar names. */
    ({
      kind,
      path,
      similar,
    }: InFile & { readonly kind: "file" | "folder" | "any"; readonly similar: readonly string[] }) => {
      const asked = similar.length === 0 ? "" : ` Did you mean ${similar.join(" or ")}?`;
      return `${kind === "any" ? "" : `The ${kind} `}${path} does not exist.${asked}`;
    },
  ),
  "file-is-folder": remark(({ path }: InFile) => `${path} is a folder.`),
  "tool-cannot-write": remark(
    ({ path, problem }: AboutFile, { message }) => `${path} cannot be written: ${message(problem)}.`,
  ),
  "tool-cannot-read": remark(
    ({ path, problem }: AboutFile, { message }) => `${path} cannot be read: ${message(problem)}.`,
  ),
  "file-too-large": remark(({ path }: InFile) => `${path} is larger than 50 MB. Use Bash to change it.`),
  "file-elsewhere": remark(
    ({ path }: InFile) =>
      `${path} now leads to a different place than when permission was checked. Check where it leads, then try again.`,
  ),
  "file-not-read": remark(
    ({ path }: InFile) => `${path} exists, but you have not read it in this conversation. Read it first.`,
  ),
  "file-changed-since-read": remark(
    ({ path }: InFile) => `${path} has changed since you read it. Read it again, then change it.`,
  ),
  "file-read-only": remark(({ path }: InFile) => `${path} is read-only. Use Bash to change its mode first.`),
  "edit-without-change": remark(() => "old_string and new_string are the same: there is nothing to change."),
  "edit-file-exists": remark(
    ({ path }: InFile) =>
      `${path} already exists: an empty old_string can only create a new file. Use Write to replace all of it.`,
  ),
  "edit-not-text": remark(
    ({ path }: InFile) => `${path} is not valid UTF-8, so an edit would damage it. Use Bash to change it.`,
  ),
  "edit-several": remark(
    ({ path, times }: InFile & { readonly times: number }) =>
      `old_string occurs ${times} times in ${path}. Include more of the surrounding lines to make it unique, or set replace_all.`,
  ),
  "edit-leaves-file": remark(({ path }: InFile) => `The edit would leave ${path} unchanged.`),
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
  whitespace: "It occurs with different whitespace: copy the indentation and line breaks exactly.",
  "read-again": "Read that part of the file again and copy it exactly.",
  exactly: "Copy it exactly from the file, including quotation marks and spaces.",
};

/** The reasons why a page would not be fetched. */
const addresses = {
  "not-a-url": remark(
    ({ text }: { readonly text: string }) =>
      `${text} is not a URL. Use a URL that begins with http:// or https://`,
  ),
  "url-protocol": remark(
    ({ protocol }: { readonly protocol: string }) =>
      `URLs that begin with ${protocol}// cannot be fetched. Use http:// or https://`,
  ),
  "url-with-login": remark(() => "URLs with a user name or password are not fetched."),
};

/** The reasons why a call would fail. The model gets the English text, and a question shows it to the user. */
export const toolRefusals = { ...faults, ...refusals, ...addresses };
