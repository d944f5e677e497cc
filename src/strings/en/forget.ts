import { counted } from "./counted.ts";

const sessions = (count: number) => counted(count, "session", "sessions");
const places = (count: number) => counted(count, "place", "places");

/** `forget`. It never says what is forgotten: that may be a secret. */
export const forget = {
  searching: "Searching all sessions",
  found: (session: string, entries: number, times: number) =>
    entries === 0
      ? `${session}: ${places(times)} in bytes that are no entry`
      : `${session}: ${places(times)} in ${counted(entries, "entry", "entries")}`,
  foundNowhere: "It was found in no session.",
  trashToo: (count: number) => `${sessions(count)} in the trash will be searched too.`,
  unseen: (list: string) =>
    `These sessions have parts that cannot be read, and so cannot be searched: ${list}`,
  question: (count: number, times: number, inTrash: number) =>
    `Forget it for good, in ${places(times)} of ${sessions(count)}${inTrash === 0 ? "" : ` and wherever it is in the trash (${sessions(inTrash)})`}?`,
  dryRun: "Nothing was changed: this was a dry run.",
  forgotten: (times: number, count: number) =>
    `Forgotten in ${places(times)} of ${sessions(count)}: [forgotten] stands there now, for good.`,
  inTrash: (line: string) => `${line} (in the trash)`,
  left: (list: string) =>
    `Another program wrote it again meanwhile, in ${list}. Stop that program, then do the same again.`,
  outOfReach:
    "Out of reach are: what was sent to a model's provider, exports and bundles, backups of Worldline's folder, " +
    "your shell's history, and the files themselves. Change a secret that leaked.",
};
