import { existsSync } from "node:fs";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { grantsOn } from "../../agent/agent-context.ts";
import type { FindProgress } from "../../finder/find.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { SessionId } from "../../record/ids.ts";
import type { AppExtras } from "../app.ts";
import { freshContext } from "../context.ts";
import type { Check } from "../doctor/check.ts";
import type { Answer } from "../find.ts";
import type { OnProgress } from "../journeys/journey-types.ts";
import { typedHistory, withHome } from "../places/home.ts";
import { findWorkspace } from "../places/workspace.ts";
import { isToGoOnWith } from "../sessions/agent-session.ts";
import { viewsOf } from "../sessions/session-rows.ts";
import { holderIn, openStore } from "../sessions/store.ts";
import { changeSetting } from "../settings/change.ts";
import { shownValue } from "../settings/kinds.ts";
import { requireKey, requireValue } from "../settings/layers.ts";
import { loadSettings } from "../settings/settings.ts";
import type { SettingKey, Source } from "../settings/table.ts";
import { trustShown, type Untrusted, untrustedIn } from "../settings/trust.ts";
import { loadContext } from "./load-context.ts";
import { clipboardImage, editExternally } from "./prompt-input.ts";
import type { SessionSwitcher } from "./session-switcher.ts";
import { withExclusiveSession } from "./travel.ts";

/** Settings, trust, health checks, and the user's typed input. */
export interface Upkeep {
  /**
   * Checks the home folder, the settings and everything that is stored, without changing anything. `version`:
   * Worldline's version.
   */
  doctor(version: string): Promise<readonly Check[]>;
  settings(): Promise<readonly SettingRow[]>;
  /** Writes to the user's own settings file, with the same checks as `worldline config set`. */
  set(key: string, value: string): Promise<SettingSet>;
  /** Adds a file to the conversation; without a path, the workspace's instructions. Rejects while a turn runs. */
  loadContext(path: string | undefined, progress?: OnProgress): Promise<LoadedContext>;
  /** Whether the workspace has an AGENTS.md. */
  hasInstructions(): Promise<boolean>;
  /**
   * Writes AGENTS.md as a user's command, so that it is on the timeline and can be undone. An existing file is never
   * overwritten.
   */
  writeInstructions(lines: readonly string[]): Promise<"written" | "failed">;
  setLanguage(language: "en" | "zh-CN"): Promise<void>;
  /** The configuration in this folder that is ignored until the user trusts it; undefined if there is none. */
  untrusted(): Promise<Untrusted | undefined>;
  /** "changed": the configuration is no longer what the user was shown, so nothing was trusted. */
  trust(shown: Untrusted): Promise<"done" | "changed">;
  /** The inputs that were typed in all sessions of the workspace, oldest first. */
  history(): Promise<readonly string[]>;
  remember(typed: string): Promise<void>;
  /** The image in the clipboard, if there is one and the machine can read it. */
  clipboardImage(): Promise<ClipboardImage | undefined>;
  /** Lets the user edit the text in $VISUAL or $EDITOR. The screen must have released the terminal. */
  editExternally(text: string): Promise<string>;
  /** The current rules and mode. */
  permissions(): Promise<PermissionsTold>;
}

export interface SettingRow {
  readonly key: SettingKey;
  readonly value: string;
  readonly source: Source;
}

/** The effect of setting a value. */
export interface SettingSet {
  /** "later": the agent reads it when a session is opened. "overridden": a stronger layer sets another value. */
  readonly effect: "now" | "later" | "overridden";
  /** The value that is now in effect, and the layer that sets it. */
  readonly value: string;
  readonly source: Source;
}

export interface LoadedContext {
  readonly file: string;
  /** An estimate. */
  readonly tokens: number;
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
  /** Rules that the user granted "for this session" on this branch. */
  readonly granted: readonly string[];
}

/**
 * Changes to these settings apply immediately; the other settings are passed to the agent and the stores when a session
 * is opened.
 */
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

const INSTRUCTIONS = "AGENTS.md";

export function upkeepOn(switcher: SessionSwitcher): Upkeep {
  const historyHere = () => typedHistory(switcher.here.context.home, switcher.here.agent.workspace);
  return {
    doctor: async (version) => {
      const { context, agent } = switcher.here;
      const fresh = freshContext(context, agent.workspace);
      // Imported here because few sessions run it.
      const { runDoctor } = await import("../doctor/doctor.ts");
      return runDoctor(fresh, { version, mode: "check", onSession: () => undefined });
    },
    settings: async () => settingRows(switcher),
    set: async (name, text) => {
      const key = requireKey(name);
      const value = requireValue(key, text);
      const { effect } = await changeSetting(switcher.here.context, { where: "user", key, value });
      await switcher.refresh();
      if (effect.state === "unknown") throw effect.problem;
      const taken = READ_WHEN_USED.has(key) ? "now" : "later";
      return {
        effect: effect.state === "overridden" ? "overridden" : taken,
        value: shownValue(effect.value),
        source: effect.source,
      };
    },
    loadContext: async (path, progress) => {
      const { model } = switcher;
      const window = model.state === "ready" ? model.window : 0;
      return withExclusiveSession(switcher, async () =>
        loadContext(switcher.here, { path, window }, progress),
      );
    },
    hasInstructions: async () => existsSync(join(switcher.here.agent.workspace, INSTRUCTIONS)),
    writeInstructions: async (lines) => {
      const words = lines.map((line) => `'${line.replaceAll("'", "'\\''")}'`).join(" ");
      // With noclobber (-C), the redirection fails if the file exists.
      const command = `set -C; printf '%s\\n' ${words} > ${INSTRUCTIONS}`;
      const { outcome } = await switcher.here.agent.run(command, "user-only");
      return outcome === "ok" ? "written" : "failed";
    },
    setLanguage: async (language) => {
      await changeSetting(switcher.here.context, { where: "user", key: "language", value: language });
      await switcher.refresh();
    },
    untrusted: async () => untrustedIn(switcher.here.context, switcher.here.host),
    trust: async (shown) => {
      const outcome = await trustShown(switcher.here.context, shown);
      if (outcome === "changed") return "changed";
      if (outcome === "nothing-to-trust" || (await switcher.reopen()) === "reopened") return "done";
      await switcher.refresh();
      switcher.warn({ code: "trusted-later" });
      return "done";
    },
    history: async () => historyHere().read(),
    remember: async (typed) => {
      // If the session is not saved, its typed inputs are not saved either.
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

async function settingRows(switcher: SessionSwitcher): Promise<readonly SettingRow[]> {
  const { context } = switcher.here;
  const { explained } = await loadSettings(await context.settingsRequest());
  return explained.map(({ key, value, source }) => ({
    key,
    value: shownValue(value),
    source,
  }));
}

/** Ways to try Worldline without a model. Nothing about them is simulated. */
export interface FirstSteps {
  /** Breaks a sample project in a random way, runs the finder on it, and compares its answer with what was broken. */
  findInSample(onProgress: (progress: SampleProgress) => void, signal: AbortSignal): Promise<SampleAnswer>;
  /**
   * Creates a folder with a small project in which the user can break things and rewind, opens it as the workspace, and
   * resolves with its path.
   */
  playground(): Promise<string>;
  /** Opens another folder as the workspace, with its most recently used session or a new one. */
  openFolder(folder: string): Promise<void>;
}

export type SampleProgress =
  /** The sample was created in `folder`, and broken in this many steps. */
  { readonly doing: "break"; readonly folder: string; readonly steps: number } | FindProgress;

export interface SampleAnswer {
  readonly answer: Answer;
  /** Whether the answer names what was broken. */
  readonly verdict: "right" | "wrong";
}

/** Implements `FirstSteps` with the given switcher. */
export function firstStepsOn(
  switcher: SessionSwitcher,
  extras: Pick<AppExtras, "findInSample" | "makeSample">,
): FirstSteps {
  return {
    findInSample: async (onProgress, signal) => extras.findInSample(onProgress, signal),
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

/** The folder's most recently used session among those that no running program has open. */
async function latestFree(store: LogStore, folder: string): Promise<SessionId | undefined> {
  const { views } = await viewsOf(store, folder);
  for (const view of views.filter(isToGoOnWith)) {
    const holder = await holderIn(store, view.id);
    if (holder === undefined || holder.life === "dead") return view.id;
  }
  return undefined;
}
