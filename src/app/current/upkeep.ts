import { existsSync } from "node:fs";
import { join } from "node:path";
import { grantsOn } from "../../agent/agent-context.ts";
import { freshContext } from "../context.ts";
import type { Check } from "../doctor/check.ts";
import type { OnProgress } from "../journeys/journey-types.ts";
import { typedHistory } from "../places/home.ts";
import { changeSetting } from "../settings/change.ts";
import { shownValue } from "../settings/kinds.ts";
import { requireKey, requireValue } from "../settings/layers.ts";
import { loadSettings } from "../settings/settings.ts";
import type { SettingKey, Source } from "../settings/table.ts";
import { trustShown, type Untrusted, untrustedIn } from "../settings/trust.ts";
import { loadContext } from "./load-context.ts";
import type { SessionSwitcher } from "./session-switcher.ts";
import { withExclusiveSession } from "./travel.ts";

/** Manages settings, trust, health checks, and the user's input history. */
export interface Upkeep {
  /**
   * Checks the home folder, the settings and everything that is stored, without changing anything. `version`:
   * Worldline's version.
   */
  doctor(version: string): Promise<readonly Check[]>;
  settings(): Promise<readonly SettingRow[]>;
  /** Writes to the user's own settings file, with the same checks as `worldline config set`. */
  set(key: string, value: string): Promise<SettingSet>;
  /** Adds a file to the conversation. Without a path, adds the workspace's instructions. Rejects while a turn is running. */
  loadContext(path: string | undefined, progress?: OnProgress): Promise<LoadedContext>;
  /** Checks whether the workspace has an AGENTS.md. */
  hasInstructions(): Promise<boolean>;
  /**
   * Writes AGENTS.md as if the user had run a command, so that the change is on the timeline and can be undone. An
   * existing file is never overwritten.
   */
  writeInstructions(lines: readonly string[]): Promise<"written" | "failed">;
  setLanguage(language: "en" | "zh-CN"): Promise<void>;
  /**
   * Returns the configuration in this folder that is ignored until the user trusts it, or undefined if there is none.
   */
  untrusted(): Promise<Untrusted | undefined>;
  /**
   * Trusts the configuration that the user was shown. "changed": the configuration has changed since then, so nothing
   * was trusted.
   */
  trust(shown: Untrusted): Promise<"done" | "changed">;
  /** Returns the inputs that the user typed in all sessions in the workspace, oldest first. */
  history(): Promise<readonly string[]>;
  remember(typed: string): Promise<void>;
  /** Returns the current rules and permission mode. */
  permissions(): Promise<PermissionsTold>;
}

export interface SettingRow {
  readonly key: SettingKey;
  readonly value: string;
  readonly source: Source;
}

/** The effect of setting a value. */
export interface SettingSet {
  /**
   * "later": the agent reads the value when a session is opened. "overridden": a layer with higher precedence sets
   * another value.
   */
  readonly effect: "now" | "later" | "overridden";
  /** The value that is now in effect, and the layer that sets it. */
  readonly value: string;
  readonly source: Source;
}

export interface LoadedContext {
  readonly file: string;
  /** Estimated number of tokens. */
  readonly tokens: number;
}

export interface PermissionsTold {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  /** Rules that the user granted "for this session" on this branch. */
  readonly granted: readonly string[];
}

/**
 * Changes to these settings apply immediately. The other settings are passed to the agent and the stores when a session
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
      // Imported here because few sessions run `doctor`.
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
