import { counted } from "../measures/counted.ts";

/** Which session a command works on, and what it finds on the way there. */
export const sessionsHere = {
  chosen: (session: string) => `Session ${session}, the one last used here.`,
  elsewhere: (session: string, workspace: string) =>
    `Session ${session} works in another folder: ${workspace}`,
  found: (session: string) => `Session ${session}`,
  created: (session: string) => `Began this workspace's own session ${session}`,
  workspacesOwn: "this workspace's own",
  waiting: (owner: string, milliseconds: number) =>
    `Waiting up to ${counted(Math.ceil(milliseconds / 1000), "second", "seconds")} for ${owner}, which holds this session.`,
  owner: (name: string, pid: number, host: string) => `${name} (pid ${pid} on ${host})`,
  entriesMissing: (entries: number, sessions: number) =>
    `${entries} acknowledged ${entries === 1 ? "entry" : "entries"} of ${sessions} ${sessions === 1 ? "session" : "sessions"} ${entries === 1 ? "is" : "are"} missing from the database: it is older than what was written to it. See: worldline doctor`,
  setAside: (bytes: number, file: string) =>
    `The last line had not been written to its end. What there was of it (${counted(bytes, "byte", "bytes")}) is kept in ${file}`,
  listUnwritten: (why: string) =>
    `checkpoints/metadata.json could not be written: ${why} The checkpoints themselves are in the log.`,
  broken: (session: string, why: string) =>
    `Session ${session} cannot be opened, so it is passed over: ${why}`,
  damaged: (session: string, places: number) =>
    `The log of session ${session} has ${counted(places, "damaged place", "damaged places")}; the rest is shown. See: worldline log`,
  damagedSince: (session: string, found: readonly string[]) =>
    `The log of session ${session} has been damaged; the rest is shown. ${found.join(" ")}`,
  foreign: (session: string, entries: number) =>
    `Session ${session} has ${counted(entries, "entry", "entries")} of kinds that this version does not know; they are kept, and passed over.`,
};
