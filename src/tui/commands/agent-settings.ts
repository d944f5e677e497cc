import type { PermissionsTold } from "../../app/current/upkeep.ts";
import type { PermissionMode } from "../../ports/person.ts";
import { sourceText } from "../../show/settings-text.ts";
import type { Strings } from "../../strings/strings.ts";
import { confirm } from "../dialogs/dialog.ts";
import type { CommandContext } from "../flows/command-context.ts";
import { connectFlow, modelFlow } from "../flows/connect.ts";
import { confirmAuto } from "../flows/opening.ts";
import { languageFlow, settingsFlow, showSettingChange } from "../flows/settings.ts";
import type { SlashCommand } from "./command.ts";

const model: SlashCommand = {
  name: "model",
  aliases: [],
  takes: "[name]",
  description: "model",
  while: "any",
  completions: async ({ app }) => {
    const rows = await app.models.list();
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
  run: async (context, words) => {
    const { app } = context;
    const { commands, screen } = context.strings.terminal;
    if (words === "") {
      const text = permissionsText(await app.upkeep.permissions(), app.agent.mode, commands);
      return context.answer({ asked: "/permissions", text, form: "plain" });
    }
    const mode = MODES.find((one) => one === words.toLowerCase());
    if (mode === undefined) return context.say({ tone: "warning", line: commands.modeUnknown(words) });
    if (mode === "auto" && !(await confirmAuto(context))) return;
    app.agent.setMode(mode);
    context.say({ tone: "good", line: screen.modeNow(screen.status.modes[mode]) });
  },
};

const config: SlashCommand = {
  name: "config",
  aliases: ["settings"],
  takes: "[setting] | set <setting> <value>",
  description: "config",
  while: "any",
  completions: async ({ app, strings }, typed) => {
    const rows = await app.upkeep.settings();
    const verb = /^(?:set|get)\s+/u.exec(typed)?.[0];
    const keys = rows.map(({ key }) => ({
      value: `${verb ?? ""}${key}`,
      description: strings.settingDescriptions[key],
    }));
    return verb === undefined ? [{ value: "set " }, ...keys] : keys;
  },
  run: async (context, words) => {
    if (words === "") return settingsFlow(context);
    const { commands } = context.strings.terminal;
    // Users may type "set" or "get", as on the command line. No setting has either name.
    const [, verb, key = "", value = ""] = /^(?:(set|get)\s+)?(\S+)\s*([\s\S]*)$/u.exec(words) ?? [];
    if (verb === undefined && /^[sg]et$/u.test(key))
      return context.say({ tone: "warning", line: commands.configUsage });
    const row = (await context.app.upkeep.settings()).find((one) => one.key === key);
    if (row === undefined) return context.say({ tone: "warning", line: commands.settingUnknown(key) });
    if (verb === "set" && value === "") return context.say({ tone: "warning", line: commands.configUsage });
    if (value === "" || verb === "get")
      return context.say({
        tone: "quiet",
        line: commands.setting(key, row.value, sourceText(row.source, context.strings)),
      });
    showSettingChange(context, key, await context.app.upkeep.set(key, value));
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
  run: async (context, words) => {
    const wanted = words === "" ? "" : LANGUAGES[words.toLowerCase()];
    if (wanted !== undefined) return languageFlow(context, wanted);
    context.say({ tone: "warning", line: context.strings.terminal.commands.languages(words) });
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
  permissions: PermissionsTold,
  mode: PermissionMode,
  words: Strings["terminal"]["commands"],
): string {
  const lists = LISTS.filter((list) => permissions[list].length > 0).flatMap((list) => [
    "",
    `${words.permissionLists[list]}:`,
    ...permissions[list].map((rule) => `  ${rule}`),
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
  run: async (context, words) => context.compact(words === "" ? undefined : words),
};

const init: SlashCommand = {
  name: "init",
  aliases: [],
  takes: "",
  description: "init",
  while: "idle",
  run: async (context) =>
    context.app.model.state === "ready"
      ? context.send(context.strings.terminal.commands.initPrompt)
      : writeSkeleton(context),
};

const loadContext: SlashCommand = {
  name: "load-context",
  aliases: [],
  takes: "[path]",
  description: "loadContext",
  while: "idle",
  completions: async ({ app }) => (await app.queries.files()).map((value) => ({ value })),
  run: async (context, words) => {
    const { commands } = context.strings.terminal;
    const path = words === "" ? undefined : words.replace(/^(["'])(.*)\1$/su, "$2");
    const { file, tokens } = await context.wait(commands.loading, async ({ onProgress }) =>
      context.app.upkeep.loadContext(path, onProgress),
    );
    context.say({ tone: "good", line: commands.loaded(file, tokens) });
  },
};

export const AGENT: readonly SlashCommand[] = [compact, loadContext, init];

async function writeSkeleton(context: CommandContext): Promise<void> {
  const { upkeep } = context.app;
  const { commands } = context.strings.terminal;
  if (await upkeep.hasInstructions()) return context.say({ tone: "quiet", line: commands.initThere });
  const question = { question: commands.initQuestion, yes: commands.initYes, no: commands.initNo };
  if ((await context.ask(confirm(context.strings, question))) !== "yes") return;
  const outcome = await context.wait(commands.initWriting, async () =>
    upkeep.writeInstructions(commands.initSkeleton),
  );
  if (outcome === "written") context.say({ tone: "good", line: commands.initWritten });
}
