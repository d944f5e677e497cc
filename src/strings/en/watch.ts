import { counted } from "./measures/counted.ts";

/** How many files an interval changed. */
export interface ChangedCounts {
  readonly created: number;
  readonly deleted: number;
  readonly changed: number;
  /** Folders that came, went, or have another mode. */
  readonly folders: number;
}

const checkpoints = (count: number) => counted(count, "checkpoint", "checkpoints");

/** `47 files changed, 3 deleted, 2 created`. */
export function changedFiles({ created, deleted, changed, folders }: ChangedCounts): string {
  const parts = [
    [changed, "changed"],
    [deleted, "deleted"],
    [created, "created"],
  ] as const;
  const [first, ...rest] = parts.filter(([count]) => count > 0);
  if (first === undefined) {
    return folders > 0 ? `${counted(folders, "folder", "folders")} changed` : "no file changed";
  }
  const others = rest.map(([count, what]) => `${count.toLocaleString("en")} ${what}`);
  return [`${counted(first[0], "file", "files")} ${first[1]}`, ...others].join(", ");
}

/** What `watch` says, and `run` while its command runs. */
export const watch = {
  began: (workspace: string, session: string) =>
    `Watching ${workspace} (session ${session}). Ctrl-C ends it; every checkpoint stays.`,
  polling: (seconds: number) =>
    `This system does not tell of changes here, so all files are looked at every ${counted(seconds, "second", "seconds")}.`,
  known: "The files are as the timeline knows them.",
  made: (number: number, what: string) => `Checkpoint #${number}: ${what}`,
  first: "the first one with files",
  gaps: (number: number, why: string) => `Checkpoint #${number} is not complete: ${why}`,
  line: (made: number, last: string) => `Watching: ${checkpoints(made)}${last}`,
  last: (number: number, ago: string, what: string) => `, last #${number} ${ago}, ${what}`,
  changedFiles,
  ago: (seconds: number) =>
    seconds < 60
      ? `${Math.floor(seconds)} s ago`
      : seconds < 3600
        ? `${Math.floor(seconds / 60)} min ago`
        : `${Math.floor(seconds / 3600)} h ago`,
  trouble: (why: string) => `${why} Watching goes on.`,
  uncaptured: "Watching ended, but what changed last could not be captured.",
  cut: "Ended before everything was looked at once.",
  ended: (made: number) =>
    made === 0 ? "Watching ended; no file had changed." : `Watching ended after ${checkpoints(made)}.`,
};
