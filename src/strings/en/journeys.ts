import { counted } from "./measures/counted.ts";

const entries = (count: number) => counted(count, "entry", "entries");
const tokens = (count: number) => counted(count, "token", "tokens");

/** `rewind`, `redo` and `fork`. */
export const journeys = {
  current: "(current)",
  pickTitle: "Rewind to:",
  pickMore: (count: number, command: (words: string) => string) =>
    `${counted(count, "more checkpoint", "more checkpoints")}: ${command("checkpoints --all")}`,
  pickQuestion: (last: number) => `Row (0-${last}, default 0): `,
  notARow: (typed: string, last: number) =>
    `"${typed}" is not a row of the list: type a number from 0 to ${last}.`,
  stillRunning: (commands: readonly string[]) =>
    `Still running from a run of this session that was killed: ${commands.join("; ")}. It may change files again; ` +
    "the next turn of the session ends it, and so does worldline resume --rewind-files.",
  runningNow: (commands: readonly string[]) =>
    `Running now in this session: ${commands.join("; ")}. It may change more files before you go back.`,
  stayed: "Nothing was changed.",
  restored: (place: string) => `Restored to checkpoint: ${place}`,
  wouldRestore: (place: string) => `Would restore to checkpoint: ${place}`,
  redone: (journey: string) => `Undid ${journey}`,
  wouldRedo: (journey: string) => `Would undo ${journey}`,
  left: (count: number) => `Left behind, and kept: ${entries(count)}`,
  back: (count: number) => `Back in the conversation: ${entries(count)}`,
  context: (before: number, after: number) => `Context: ${before.toLocaleString("en")} -> ${tokens(after)}`,
  redoWith: (command: string) => `To undo this: ${command}`,
  promptBack: "The prompt that comes back:",
  dryRun: "Nothing was changed: this was a dry run.",
  noJourneys: "No journeys found.",
  returnTo: "Return to:",
  leftBy: (ago: string, kind: string, to: number | undefined) =>
    `left ${ago} by a ${kind}${to === undefined ? "" : ` to #${to}`}`,
  undoQuestion: (kind: "backtrack" | "rewind" | "redo", to: number | undefined, leaves: number) =>
    `Undo the ${kind}${to === undefined ? "" : ` ${kind === "backtrack" ? "at" : "to"} #${to}`}? Leaves #${leaves}`,
  leavesNewer: (checkpoint: number) => `Leaves newer work, up to #${checkpoint}; it stays in worldline tree`,
  to: (number: number) => `to #${number}`,
  fromLine: (line: number) => `from line ${line}`,
  fromElsewhere: "from the session that this one was forked from",
  ofJourney: (kind: string, id: string) => `of the ${kind} ${id}`,
  ofJourneyElsewhere: "of a journey of another session",
  states: { next: "next redo", open: "", undone: "undone" },
  kinds: { backtrack: "backtrack", rewind: "rewind", redo: "redo" },
  described: (kind: string, id: string, to: string) => `the ${kind} ${id} ${to}`,
  forked: (session: string, from: string) => `New session ${session}, forked from ${from}`,
  forkHolds: (count: number, at: number | undefined) =>
    at === undefined
      ? `It holds the whole branch: ${entries(count)}`
      : `It holds the branch up to #${at}: ${entries(count)}`,
  openForkIn: (command: string) => `Its workspace is that folder. To work there: ${command}`,
  openFork: (session: string) =>
    `It is the one last used here now. To name it: --session ${session}; in a program: openSession({ resume: "${session}" })`,
};
