import { counted } from "./measures/counted.ts";
import { sized } from "./measures/sized.ts";

const files = (count: number) => counted(count, "file", "files");
const paths = (count: number) => counted(count, "path", "paths");

/** What `prove` says. */
export const prove = {
  title: (what: string) => `Attacking a copy of ${what}`,
  sample: "a built-in sample",
  copied: (count: number, bytes: number, folder: string) =>
    `Copied ${files(count)}, ${sized(bytes)}, to ${folder}; nothing outside of it is written.`,
  leftOut: (count: number) =>
    `Not copied, with a stand-in in its place: ${counted(count, "large folder", "large folders")} such as node_modules.`,
  skipped: (count: number) =>
    `Not copied: ${paths(count)} that cannot be read, or are no files, folders or links.`,
  copying: (count: number) => `Copying: ${files(count)}`,
  trying: (index: number, all: number, damage: string) => `${index} of ${all}: ${damage}`,
  killing: (index: number, all: number) => `Killing a restore: ${index} of ${all}`,
  damages: {
    overwritten: "a file overwritten",
    appended: "a line appended",
    emptied: "a file emptied",
    edited: "sed -i on a file",
    carriageReturns: "line ends turned into CRLF",
    binary: "random bytes written over a file",
    sameSize: "an edit of the same size, with the old time",
    future: "an edit with a time in the future",
    replaced: "a file replaced by rename",
    swapped: "two files swapped",
    removed: "a file removed",
    removedFolder: "rm -rf of a folder",
    removedAll: "every file removed",
    moved: "a file moved",
    movedFolder: "a folder moved",
    private: "chmod 600",
    executable: "chmod 777",
    sticky: "setuid and sticky bits",
    unreadable: "chmod 000",
    folderMode: "chmod 700 of a folder",
    lockedFolder: "a file removed, its folder made read-only",
    linkMoved: "a link turned elsewhere",
    linkToFile: "a link replaced by a file",
    fileToLink: "a file replaced by a link",
    folderToLink: "a folder replaced by a link to /etc",
    fileToFolder: "a file replaced by a folder",
    folderToFile: "a folder replaced by a file",
    emptyFolder: "an empty folder removed",
    environment: "an ignored .env removed",
    environmentEdited: "an ignored .env changed",
    ignoredNew: "a new file that is ignored",
    created: "new files",
    createdDeep: "new folders in one another",
    oddNames: "new names: line break, no UTF-8, a dash",
    oddRemoved: "odd names removed",
    ignoreRules: ".gitignore changed",
    ignoreRemoved: ".gitignore removed",
    nested: "a file of a nested repository changed",
    hardLink: "a hard link made, and written through",
    large: "a large file",
    sparse: "a sparse file",
    fifo: "a FIFO made",
    many: "two thousand new files",
    mixed: "many of these at once",
  },
  headings: { damage: "damage", paths: "paths", restored: "restored", redone: "redone" },
  yes: "yes",
  no: "NO",
  nothing: "nothing changed",
  stayed: "(but for what cannot be captured, and was named)",
  problem: (path: string, wanted: string, found: string) => `${path}: is ${found}, should be ${wanted}`,
  absent: "not there",
  moreProblems: (count: number) => `and ${count.toLocaleString("en")} more`,
  notClean: (count: number) => `afterwards ${counted(count, "path was", "paths were")} not as before`,
  scriptFailed: (why: string) => `the damage could not be done: ${why}`,
  claims: {
    kills: "a restore that is killed is finished by the next program",
    git: "git's own files are untouched",
    whole: "everything is as it was copied",
    store: "the snapshot store verifies clean",
  },
  kills: (landed: number, made: number) =>
    `${made.toLocaleString("en")} killed with SIGKILL, ${landed.toLocaleString("en")} of them in the middle`,
  paths,
  snapshots: (count: number) => counted(count, "snapshot", "snapshots"),
  outcome: (off: number, damages: number, stayed: number) => {
    if (off > 0) return `${counted(off, "row is", "rows are")} off.`;
    const all = damages === 1 ? "The damage was" : `All ${damages} kinds of damage were`;
    const but =
      stayed === 0
        ? ""
        : `, but for ${paths(stayed)} that cannot be captured, and ${stayed === 1 ? "was" : "were"} named`;
    return `${all} restored and redone, byte for byte${but}.`;
  },
  gone: "The temporary folder is gone again.",
  kept: (folder: string) => `Kept: ${folder}`,
};
