import type { Entry, EntryOf } from "./entry.ts";
import { type OutsideChange, outsideOf } from "./files.ts";

/**
 * Checks whether the entry grants authority when it is read back. Such an entry sets a session's workspace or system
 * prompt, grants a permission, refers to another agent's conversation, or lists files outside the workspace that a
 * rewind writes. The entry is signed when it is written, and has authority only if its signature is valid.
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

/**
 * Returns the same entry without its authority, as plain data. Leaves a session's first entry unchanged, because
 * `unconfirmedHeader` handles it.
 */
export function withoutAuthority(entry: Entry): Entry {
  switch (entry.kind) {
    case "host": {
      const { message, granted, model, asked, window, ...rest } = entry;
      // Because the id is empty, the next prompt starts a new session in the other agent and sends it the conversation
      // as text.
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

/** The entry without its signature. The signature covers everything else in the entry. */
export function unsigned(entry: Entry): Entry {
  if (entry.mac === undefined) return entry;
  const { mac, ...rest } = entry;
  return rest as Entry;
}

/** The text that a signature covers. Equal entries have the same text, regardless of the order of their fields. */
export function signedText(session: string, entry: Entry): string {
  return `worldline-entry 1\n${session}\n${JSON.stringify(sorted(unsigned(entry)))}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, field]) => [key, sorted(field)]));
}

/** The first entry of an unconfirmed session, without its workspace and system prompt. */
export function unconfirmedHeader(stored: EntryOf<"session">, arrived?: number): EntryOf<"session"> {
  return {
    ...stored,
    workspace: "",
    system: "",
    tag: `unconfirmed${stored.session}`,
    confirmation: { state: "needed", stored, ...(arrived === undefined ? {} : { used: arrived }) },
  };
}

/**
 * A session's first entry as stored in the log. In a log that this home did not write, the entry's fields are only
 * claims.
 */
export function storedHeader(header: EntryOf<"session">): EntryOf<"session"> {
  return header.confirmation?.stored ?? header;
}

/**
 * Returns the first entry for an export: the entry in the log if the session is unconfirmed, and otherwise the entry
 * that applies on this machine.
 */
export function exportedHeader(header: EntryOf<"session">): EntryOf<"session"> {
  const { confirmation, ...rest } = header;
  return confirmation?.state === "needed" ? confirmation.stored : rest;
}
