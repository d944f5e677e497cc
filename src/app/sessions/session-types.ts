import type { SessionBody } from "../../record/entry.ts";
import type { EntryId, SessionId } from "../../record/ids.ts";

/** The sessions that a person can go to from here. */
export interface Sessions {
  /** Of this workspace, or of all; last used first. `search`: over titles, prompts and all text. */
  list(request: SessionsRequest): Promise<readonly SessionRow[]>;
  /** How many sessions the last list could read nothing of. */
  unreadable(): number;
  /** Lets go of the session here, and opens that one. It may be in another workspace. */
  open(session: SessionId): Promise<void>;
  /** Where an unconfirmed session came from, what it claims, and where it would work: what its user is told before they confirm it. */
  claims(session: SessionId): Promise<readonly string[]>;
  /** The user confirms the session: it works in the workspace of the session here. */
  confirm(session: SessionId): Promise<void>;
  /** A new session in the same workspace. "gone": nothing had been done in the one before, and it is not kept. */
  begin(): Promise<"kept" | "gone">;
  /** A copy, from the head or another place, which is then the session here. The source stays as it is. */
  fork(at?: EntryId): Promise<SessionId>;
  retitle(title: string): Promise<void>;
  /** To the trash, for 30 days. Not the session here. */
  delete(session: SessionId): Promise<void>;
  /** Writes the session to a file; resolves with its path. Rejects with NEEDS_YES where a file is there that was to be kept. */
  export(request: ExportRequest): Promise<string>;
}

export interface SessionsRequest {
  readonly of: "workspace" | "all";
  readonly search?: string;
}

export interface SessionRow {
  readonly session: SessionId;
  readonly title: string;
  readonly workspace: string;
  readonly messages: number;
  readonly at: number;
  /** "here": the one that the person is in. */
  readonly place: "here" | "elsewhere";
  /** Who has it open, where somebody has. */
  readonly heldBy?: string;
  /** "agent": with a conversation. */
  readonly mode: SessionBody["mode"];
  /** This home did not write it: its user confirms it before it is opened. `workspace` is what it claims. */
  readonly unconfirmed?: true;
}

export interface ExportRequest {
  readonly format: "markdown" | "json" | "bundle";
  /** Absent: named after the session, in the workspace. */
  readonly file?: string;
  /** What becomes of a file that is there; by default it is kept. */
  readonly existing?: "keep" | "replace";
}
