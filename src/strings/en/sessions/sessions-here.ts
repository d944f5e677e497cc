import { counted } from "../measures/counted.ts";

/** Which session a command works on, and what it finds on the way there. */
export const sessionsHere = {
  chosen: (session: string) => `Session ${session}, the one last used here.`,
  elsewhere: (session: string, workspace: string) =>
    `Session ${session} works in another folder: ${workspace}`,
  passedOver: (session: string, count: number, command: (words: string) => string) =>
    `Session ${session}${count === 1 ? "" : ` and ${count - 1} more`} came from elsewhere and ${count === 1 ? "is" : "are"} passed over until you confirm ${count === 1 ? "it" : "them"}: ${command(`sessions confirm ${session}`)}`,
  unconfirmed: {
    session: (session: string, title: string) =>
      `Session ${session}${title === "" ? "" : `, "${title}",`} was not written by this Worldline home.`,
    imported: (from: string, name: string) =>
      `It was imported from ${from === "bundle" ? "a bundle of session" : `${from}:`} ${name}`,
    fromStore: (kind: string): string =>
      kind === "files"
        ? "It was copied into this home, or written with another home's key."
        : "Another home wrote it to this store: your other machine, or another user.",
    claims: (workspace: string) =>
      workspace === "" ? "It names no folder." : `It says that it worked in ${workspace}`,
    worksIn: (workspace: string) => `It would work in the folder that you are in: ${workspace}`,
    means:
      "What it says goes to the model as its conversation. Permissions that it grants, its system prompt and files outside this folder do not count.",
    question: (session: string, workspace: string) => `Work on session ${session} in ${workspace}?`,
    confirmed: (session: string, workspace: string) =>
      `Session ${session} is confirmed, and works in ${workspace}`,
    already: (session: string, workspace: string) =>
      `Session ${session} is confirmed already, and works in ${workspace}`,
    isOwn: (session: string) => `Session ${session} was written by this home: there is nothing to confirm.`,
  },
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
