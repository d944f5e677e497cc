import type { PermissionsTold } from "../../app/current/upkeep.ts";
import type { PermissionMode } from "../../ports/person.ts";
import { sourceText } from "../../show/settings-text.ts";
import type { Strings } from "../../strings/strings.ts";
import { confirm } from "../dialogs/dialog.ts";
import type { Desk } from "../flows/command-context.ts";
import { connectFlow, modelFlow } from "../flows/connect.ts";
import { confirmAuto } from "../flows/opening.ts";
import { languageFlow, sayChanged, settingsFlow } from "../flows/settings.ts";
import type { SlashCommand } from "./command.ts";

const model: SlashCommand = {
  name: "model",
  aliases: [],
  takes: "[name]",
  description: "model",
  while: "any",
  completions: async ({ station }) => {
    const rows = await station.models.list();
    return rows.filter(({ state }) => state === "ready").map(({ name }) => ({ value: name }));
  },
  run: modelFlow,
};

const MODES: readonly PermissionMode[] = ["manual", "accept-edits", "plan", "auto"];

const permissions: SlashCommand = {
  name: "permissions",
  aliases: ["mode"],
  takes: "[mode]",
  description: "permissions",
  while: "any",
  completions: async ({ strings }) =>
    MODES.map((mode) => ({ value: mode, description: strings.terminal.commands.modes[mode] })),
  run: async (desk, words) => {
    const { station } = desk;
    const { commands, screen } = desk.strings.terminal;
    if (words === "") {
      const text = permissionsText(await station.upkeep.permissions(), station.agent.mode, commands);
      return desk.answer({ asked: "/permissions", text, form: "plain" });
    }
    const mode = MODES.find((one) => one === words.toLowerCase());
    if (mode === undefined) return desk.say({ tone: "warning", line: commands.modeUnknown(words) });
    if (mode === "auto" && !(await confirmAuto(desk))) return;
    station.agent.setMode(mode);
    desk.say({ tone: "good", line: screen.modeNow(screen.status.modes[mode]) });
  },
};

const config: SlashCommand = {
  name: "config",
  aliases: ["settings"],
  takes: "[setting] | set <setting> <value>",
  description: "config",
  while: "any",
  completions: async ({ station }, typed) => {
    const rows = await station.upkeep.settings();
    const verb = /^(?:set|get)\s+/u.exec(typed)?.[0];
    const keys = rows.map(({ key, description }) => ({ value: `${verb ?? ""}${key}`, description }));
    return verb === undefined ? [{ value: "set " }, ...keys] : keys;
  },
  run: async (desk, words) => {
    if (words === "") return settingsFlow(desk);
    const { commands } = desk.strings.terminal;
    // No setting is called "set" or "get"; whoever knows the command line types them.
    const [, verb, key = "", value = ""] = /^(?:(set|get)\s+)?(\S+)\s*([\s\S]*)$/u.exec(words) ?? [];
    if (verb === undefined && /^[sg]et$/u.test(key))
      return desk.say({ tone: "warning", line: commands.configUsage });
    const row = (await desk.station.upkeep.settings()).find((one) => one.key === key);
    if (row === undefined) return desk.say({ tone: "warning", line: commands.settingUnknown(key) });
    if (verb === "set" && value === "") return desk.say({ tone: "warning", line: commands.configUsage });
    if (value === "" || verb === "get")
      return desk.say({
        tone: "quiet",
        line: commands.setting(key, row.value, sourceText(row.source, desk.strings)),
      });
    sayChanged(desk, key, await desk.station.upkeep.set(key, value));
  },
};

const LANGUAGES: Readonly<Record<string, "en" | "zh-CN">> = {
  en: "en",
  english: "en",
  zh: "zh-CN",
  "zh-cn": "zh-CN",
  "zh-hans": "zh-CN",
  中文: "zh-CN",
};

const language: SlashCommand = {
  name: "language",
  aliases: ["lang"],
  takes: "[en|zh-CN]",
  description: "language",
  while: "any",
  completions: async () => [
    { value: "en", description: "English" },
    { value: "zh-CN", description: "简体中文" },
  ],
  run: async (desk, words) => {
    const wanted = words === "" ? "" : LANGUAGES[words.toLowerCase()];
    if (wanted !== undefined) return languageFlow(desk, wanted);
    desk.say({ tone: "warning", line: desk.strings.terminal.commands.languages(words) });
  },
};

const setup: SlashCommand = {
  name: "setup",
  aliases: ["connect"],
  takes: "",
  description: "setup",
  while: "idle",
  run: connectFlow,
};

export const SETTINGS: readonly SlashCommand[] = [model, permissions, config, language, setup];

const LISTS = ["allow", "ask", "deny", "granted"] as const;

function permissionsText(
  told: PermissionsTold,
  mode: PermissionMode,
  words: Strings["terminal"]["commands"],
): string {
  const lists = LISTS.filter((list) => told[list].length > 0).flatMap((list) => [
    "",
    `${words.permissionLists[list]}:`,
    ...told[list].map((rule) => `  ${rule}`),
  ]);
  const about = `  ${words.modes[mode]}`;
  return [words.permissionsMode(mode), about, ...(lists.length === 0 ? ["", words.noRules] : lists)].join(
    "\n",
  );
}

const compact: SlashCommand = {
  name: "compact",
  aliases: [],
  takes: "[focus]",
  description: "compact",
  while: "idle",
  run: async (desk, words) => desk.compact(words === "" ? undefined : words),
};

const init: SlashCommand = {
  name: "init",
  aliases: [],
  takes: "",
  description: "init",
  while: "idle",
  run: async (desk) =>
    desk.station.model.state === "ready"
      ? desk.send(desk.strings.terminal.commands.initPrompt)
      : writeSkeleton(desk),
};

const loadContext: SlashCommand = {
  name: "load-context",
  aliases: [],
  takes: "[path]",
  description: "loadContext",
  while: "idle",
  completions: async ({ station }) => (await station.queries.files()).map((value) => ({ value })),
  run: async (desk, words) => {
    const { commands } = desk.strings.terminal;
    const path = words === "" ? undefined : words.replace(/^(["'])(.*)\1$/su, "$2");
    const { file, tokens } = await desk.wait(commands.loading, async ({ onProgress }) =>
      desk.station.upkeep.loadContext(path, onProgress),
    );
    desk.say({ tone: "good", line: commands.loaded(file, tokens) });
  },
};

export const AGENT: readonly SlashCommand[] = [compact, loadContext, init];

const FILE = "AGENTS.md";

/** As a command of the person's: then it is on the timeline, and can be taken back. It never writes over a file. */
async function writeSkeleton(desk: Desk): Promise<void> {
  const { commands } = desk.strings.terminal;
  const files = await desk.station.queries.files();
  if (files.includes(FILE)) return desk.say({ tone: "quiet", line: commands.initThere });
  const question = { question: commands.initQuestion, yes: commands.initYes, no: commands.initNo };
  if ((await desk.ask(confirm(desk.strings, question))) !== "yes") return;
  const lines = commands.initSkeleton.map((line) => `'${line}'`).join(" ");
  const command = `set -C; printf '%s\\n' ${lines} > ${FILE}`;
  const { outcome } = await desk.wait(commands.initWriting, async () =>
    desk.station.agent.run(command, "nobody"),
  );
  if (outcome === "ok") desk.say({ tone: "good", line: commands.initWritten });
}
