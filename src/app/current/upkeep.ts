import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { grantsOn } from "../../agent/agent-context.ts";
import { type McpServer, readMcpConfig } from "../../agent/mcp/config.ts";
import type { HostName } from "../../ports/agent.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError, type Problem, problemOf } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { AppExtras } from "../app.ts";
import type { AppContext } from "../context.ts";
import type { OnProgress } from "../journeys/journey-types.ts";
import { provideHome, typedHistory, withHome } from "../places/home.ts";
import { findWorkspace } from "../places/workspace.ts";
import { isToGoOnWith } from "../sessions/agent-session.ts";
import { viewsOf } from "../sessions/session-rows.ts";
import { holderIn, openStore } from "../sessions/store.ts";
import { changeSetting } from "../settings/change.ts";
import { readValues } from "../settings/files.ts";
import { type SettingValue, shownValue } from "../settings/kinds.ts";
import { requireKey, requireValue } from "../settings/layers.ts";
import {
  loadSettings,
  readTrustSubject,
  recordWholeTrust,
  sealOf,
  trustedPaths,
} from "../settings/settings.ts";
import type { SettingKey, Source } from "../settings/table.ts";
import { loadContext } from "./load-context.ts";
import { clipboardImage, editExternally } from "./prompt-input.ts";
import type { SessionSwitcher } from "./session-switcher.ts";
import { withExclusiveSession } from "./travel.ts";

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
  readonly key: SettingKey;
  readonly value: string;
  readonly source: Source;
}

/** What came of setting a value. */
export interface SettingSet {
  /** "later": the agent reads it when a session is opened. "overridden": something stronger says otherwise. */
  readonly effect: "now" | "later" | "overridden";
  /** The value that counts, and where it comes from. */
  readonly value: string;
  readonly source: Source;
}

export interface LoadedContext {
  readonly file: string;
  /** About. */
  readonly tokens: number;
}

export interface Untrusted {
  readonly folder: string;
  /** Settings that are ignored, and MCP servers that are not started. */
  readonly what: readonly Problem[];
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

/** The others are handed to the agent and to the stores when a session is opened. */
const READ_WHEN_USED: ReadonlySet<SettingKey> = new Set<SettingKey>([
  "language",
  "ui.theme",
  "ui.mouse",
  "ui.doubleEscapeMs",
  "backtrack.display",
  "rewind.confirmDeletes",
  "trash.days",
  "lock.waitMs",
]);

/** Settings, health, and whatever else the command line can say. */
export function upkeepOn(switcher: SessionSwitcher, extras: Pick<AppExtras, "ask">): Upkeep {
  const historyHere = () => typedHistory(switcher.here.context.home, switcher.here.agent.workspace);
  return {
    ask: async (words) => extras.ask(switcher.here, words),
    settings: async () => settingRows(switcher),
    set: async (name, text) => {
      const key = requireKey(name);
      await write(switcher, key, requireValue(key, text));
      const { explained } = await loadSettings(await switcher.here.context.settingsRequest());
      const setting = explained.find((each) => each.key === key);
      const isOverridden =
        setting !== undefined && setting.items === undefined && setting.source.layer !== "user";
      return {
        effect: isOverridden ? "overridden" : READ_WHEN_USED.has(key) ? "now" : "later",
        value: setting === undefined ? text : shownValue(setting.value),
        source: setting?.source ?? { layer: "default" },
      };
    },
    loadContext: async (path, progress) => {
      const { model } = switcher;
      const window = model.state === "ready" ? model.window : 0;
      return withExclusiveSession(switcher, async () =>
        loadContext(switcher.here, { path, window }, progress),
      );
    },
    setLanguage: async (language) => {
      await write(switcher, "language", language);
      await switcher.refresh();
    },
    untrusted: async () => untrustedHere(switcher.here.context, switcher.here.host),
    trust: async (shown) => {
      const trusted = await trustHere(switcher.here.context, shown);
      if (trusted === "changed") return "changed";
      if (trusted === "nothing" || (await switcher.reopen()) === "reopened") return "done";
      await switcher.refresh();
      switcher.warn({ code: "trusted-later" });
      return "done";
    },
    history: async () => historyHere().read(),
    remember: async (typed) => {
      // Who keeps nothing of the session does not want what was typed in it kept either.
      if (switcher.here.opened.kept === "yes") await historyHere().add(typed);
    },
    clipboardImage: async () => clipboardImage(switcher.here.context.surroundings.environment),
    editExternally: async (text) => editExternally(switcher.here.context.surroundings, text),
    permissions: async () => {
      const { rules, opened } = switcher.here;
      const granted = [...new Set(await grantsOn(opened.session))];
      return { allow: rules.allow, ask: rules.ask, deny: rules.deny, granted };
    },
  };
}

async function write(switcher: SessionSwitcher, key: SettingKey, value: SettingValue): Promise<void> {
  const { context, agent } = switcher.here;
  await changeSetting({ home: context.home, workspace: agent.workspace, where: "user", key, value });
  await switcher.refresh();
}

async function settingRows(switcher: SessionSwitcher): Promise<readonly SettingRow[]> {
  const { context } = switcher.here;
  const { explained } = await loadSettings(await context.settingsRequest());
  return explained.map(({ key, value, source }) => ({
    key,
    value: shownValue(value),
    source,
  }));
}

/** What can be tried at once, without any model. All of it is real. */
export interface FirstSteps {
  /** Breaks a sample project in a random one of its ways, and has the finder find it; lines as they come. */
  findInSample(onLine: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** A folder with a small project, to break and to go back in; opened as the workspace. Resolves with its path. */
  playground(): Promise<string>;
  /** Opens another folder as the workspace, with its own session last used, or a new one. */
  openFolder(folder: string): Promise<void>;
}

/** What can be tried without a model. */
export function firstStepsOn(
  switcher: SessionSwitcher,
  extras: Pick<AppExtras, "findInSample" | "makeSample">,
): FirstSteps {
  return {
    findInSample: async (onLine, signal) => extras.findInSample(onLine, signal),
    playground: async () => {
      const folder = await realpath(await mkdtemp(join(tmpdir(), "worldline-playground-")));
      await extras.makeSample(folder);
      await switcher.move({ how: "begun", folder });
      return folder;
    },
    openFolder: async (wanted) => {
      const { context, agent } = switcher.here;
      const folder = await findWorkspace({
        given: withHome(wanted),
        cwd: () => agent.workspace,
        known: async () => [],
      });
      if (folder === agent.workspace) return;
      const latest = await latestFree(openStore(context), folder);
      if (latest === undefined) await switcher.move({ how: "begun", folder });
      else await switcher.move({ how: "opened", folder, session: latest });
    },
  };
}

/** The session last used there that nobody has. */
async function latestFree(store: LogStore, folder: string): Promise<SessionId | undefined> {
  const { views } = await viewsOf(store, folder);
  for (const view of views.filter(isToGoOnWith)) {
    const holder = await holderIn(store, view.id);
    if (holder === undefined || holder.life === "dead") return view.id;
  }
  return undefined;
}

/** Files that change all the time cannot be shown to anybody. */
const MAX_READS = 3;

/** What in the folder is ignored until it is trusted; undefined where there is nothing, or it is trusted. */
async function untrustedHere(context: AppContext, host: HostName): Promise<Untrusted | undefined> {
  for (let read = 1; ; read += 1) {
    const seal = await sealHere(context);
    const listed = await listHere(context, host);
    if (listed === undefined) return undefined;
    if ((await sealHere(context)) === seal) return { ...listed, seal };
    // Nothing has this seal, so nothing can be trusted by it.
    if (read === MAX_READS) return { ...listed, seal: "" };
  }
}

async function sealHere(context: AppContext): Promise<string> {
  return sealOf(await readTrustSubject(context.home, await context.workspace()));
}

async function listHere(context: AppContext, host: HostName): Promise<Omit<Untrusted, "seal"> | undefined> {
  const { explained, trust, mcp, claude } = await loadSettings(await context.settingsRequest());
  const isClaudes = host === "claude" && claude === "untrusted";
  if (trust !== "untrusted" && !isClaudes) return undefined;
  const settings = explained.flatMap(({ key, ignored }) =>
    ignored.map(({ value }) => `${key}: ${shownValue(value)}`),
  );
  const folder = await context.workspace();
  const servers = mcp === undefined || trust !== "untrusted" ? [] : await serversIn(folder);
  return { folder, what: [...settings, ...servers, ...(isClaudes ? [join(folder, ".claude")] : [])] };
}

/** What would be started, or reached: whoever is to trust a file must see what it says. */
async function serversIn(folder: string): Promise<readonly Problem[]> {
  try {
    const { servers = [], file = "" } = (await readMcpConfig(folder)) ?? {};
    return servers.length === 0 ? [file] : servers.map((server) => `MCP ${server.name}: ${startOf(server)}`);
  } catch (error) {
    if (isWorldlineError(error)) return [problemOf(error)];
    throw error;
  }
}

function startOf(server: McpServer): string {
  if (server.kind === "http") return server.url;
  const variables = Object.entries(server.env).map(([name, value]) => `${name}=${value}`);
  return [...variables, ...[server.command, ...server.args].map(asWord)].join(" ");
}

/** Where one word ends and the next begins must be seen. */
function asWord(word: string): string {
  return /^[^\s"'\\]+$/u.test(word) ? word : JSON.stringify(word);
}

/** Trusts the folder's files exactly as they were shown. */
async function trustHere(context: AppContext, shown: Untrusted): Promise<"trusted" | "nothing" | "changed"> {
  const subject = await readTrustSubject(context.home, await context.workspace());
  if (sealOf(subject) !== shown.seal) return "changed";
  // A file that cannot be read has not been seen, so it cannot be trusted either.
  for (const content of subject.files) readValues(content, content.layer);
  if (trustedPaths(subject).length === 0) return "nothing";
  await provideHome(context.home);
  await recordWholeTrust(subject);
  return "trusted";
}
