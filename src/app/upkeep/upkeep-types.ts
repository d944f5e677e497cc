import type { OnProgress } from "../journeys/journey-types.ts";

/** Settings, health, and whatever else the command line can say. */
export interface Upkeep {
  /** What `worldline <words>` would print, as text. Only for commands that change nothing, or say so themselves. */
  ask(words: readonly string[]): Promise<Answered>;
  settings(): Promise<readonly SettingRow[]>;
  /** In the user's own settings file, checked as `worldline config set` checks it. */
  set(key: string, value: string): Promise<SettingSet>;
  /** Adds a file to the conversation; without a path the workspace's instructions. Rejects while a turn runs. */
  loadContext(path: string | undefined, progress?: OnProgress): Promise<LoadedContext>;
  setLanguage(language: "en" | "zh-CN"): Promise<void>;
  /** What in this folder is ignored until it is trusted; undefined where there is nothing to trust. */
  untrusted(): Promise<Untrusted | undefined>;
  /** "changed": the folder says something else by now than what the person was shown, and nothing is trusted. */
  trust(shown: Untrusted): Promise<"done" | "changed">;
  /** What was typed before, oldest first, of all sessions of the workspace. */
  history(): Promise<readonly string[]>;
  remember(typed: string): Promise<void>;
  /** A bitmap from the clipboard, where the machine has a way to one. */
  clipboardImage(): Promise<ClipboardImage | undefined>;
  /** Has the person edit the text in $VISUAL or $EDITOR. The terminal must have been given back. */
  editExternally(text: string): Promise<string>;
  /** Rules and mode, as they are now. */
  permissions(): Promise<PermissionsTold>;
}

export interface Answered {
  readonly text: string;
  readonly exitCode: number;
}

export interface SettingRow {
  readonly key: string;
  readonly value: string;
  readonly source: string;
  readonly description: string;
}

/** What came of setting a value. */
export interface SettingSet {
  /** "later": the agent reads it when a session is opened. "overridden": something stronger says otherwise. */
  readonly effect: "now" | "later" | "overridden";
  /** The value that counts, and where it comes from. */
  readonly value: string;
  readonly source: string;
}

export interface LoadedContext {
  readonly file: string;
  /** About. */
  readonly tokens: number;
}

export interface Untrusted {
  readonly folder: string;
  /** Settings that are ignored, and MCP servers that are not started. */
  readonly what: readonly string[];
  /** Stands for exactly what was shown. */
  readonly seal: string;
}

export interface ClipboardImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

export interface PermissionsTold {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  /** Given "for this session", on this branch. */
  readonly granted: readonly string[];
}
