import type { Entry, EntryOf } from "./entry.ts";
import { type OutsideChange, outsideOf } from "./files.ts";

/**
 * Whether the entry gives authority when it is read back: it says where a session works and with which system prompt,
 * grants a permission, names a conversation of another agent, or names files outside the workspace that a rewind writes.
 * Such entries are signed when they are written and count only while their signature holds.
 */
export function hasAuthority(entry: Entry): boolean {
  switch (entry.kind) {
    case "session":
    case "host":
      return true;
    case "tool-start":
      return entry.granted !== undefined;
    default:
      return outsideOf(entry).length > 0;
  }
}

/** The same entry as data alone. A session's first entry stays as it is: see `unconfirmedHeader`. */
export function withoutAuthority(entry: Entry): Entry {
  switch (entry.kind) {
    case "session":
      return entry;
    case "host": {
      const { message, granted, model, asked, window, ...rest } = entry;
      // Names no session: the next prompt begins a new one, which is told the conversation as text.
      return { ...rest, hostSession: "" };
    }
    case "tool-start": {
      const { granted, ...rest } = entry;
      return granted === undefined ? entry : rest;
    }
    default: {
      if (outsideOf(entry).length === 0) return entry;
      const { outside, ...rest } = entry as Entry & { readonly outside?: readonly OutsideChange[] };
      return rest as Entry;
    }
  }
}

/** The entry without its signature, which is over all the rest. */
export function unsigned(entry: Entry): Entry {
  if (entry.mac === undefined) return entry;
  const { mac, ...rest } = entry;
  return rest as Entry;
}

/** What a signature is over: the same text for the same entry, in whatever order its fields come. */
export function signedText(session: string, entry: Entry): string {
  return `worldline-entry 1\n${session}\n${JSON.stringify(sorted(unsigned(entry)))}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, field]) => [key, sorted(field)]));
}

/** The first entry of a session that this home did not write, as long as its user has not confirmed it: it names no folder and no prompt. */
export function unconfirmedHeader(stored: EntryOf<"session">, arrived?: number): EntryOf<"session"> {
  return {
    ...stored,
    workspace: "",
    system: "",
    tag: `unconfirmed${stored.session}`,
    confirmation: { state: "needed", stored, ...(arrived === undefined ? {} : { used: arrived }) },
  };
}

/** What the log itself has as the session's first entry, which are only claims where it came from elsewhere. */
export function storedHeader(header: EntryOf<"session">): EntryOf<"session"> {
  return header.confirmation?.stored ?? header;
}

/** The first entry for an export: of an unconfirmed session what its log says, of a confirmed one what counts here. */
export function exportedHeader(header: EntryOf<"session">): EntryOf<"session"> {
  const { confirmation, ...rest } = header;
  return confirmation?.state === "needed" ? confirmation.stored : rest;
}
