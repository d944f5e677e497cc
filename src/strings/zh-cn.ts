import { errorsInChinese } from "./errors/zh-cn/errors.ts";
import type { Strings } from "./strings.ts";
import { agent } from "./zh-cn/agent/agent.ts";
import { compact } from "./zh-cn/agent/compact.ts";
import { hosts } from "./zh-cn/agent/hosts.ts";
import { models, setup } from "./zh-cn/agent/models.ts";
import { recap } from "./zh-cn/agent/recap.ts";
import { resume } from "./zh-cn/agent/resume.ts";
import { stats } from "./zh-cn/agent/stats.ts";
import { checkpoints } from "./zh-cn/checkpoints.ts";
import { doctor } from "./zh-cn/doctor.ts";
import { errors } from "./zh-cn/errors.ts";
import { files } from "./zh-cn/files/files.ts";
import { store } from "./zh-cn/files/store.ts";
import { find } from "./zh-cn/find.ts";
import { forget } from "./zh-cn/forget.ts";
import { journeys } from "./zh-cn/journeys.ts";
import { looking } from "./zh-cn/looking.ts";
import { time } from "./zh-cn/measures/time.ts";
import { prove } from "./zh-cn/prove.ts";
import { run } from "./zh-cn/run.ts";
import { exchange } from "./zh-cn/sessions/exchange.ts";
import { executions } from "./zh-cn/sessions/executions.ts";
import { sessions } from "./zh-cn/sessions/sessions.ts";
import { sessionsHere } from "./zh-cn/sessions/sessions-here.ts";
import { story } from "./zh-cn/story.ts";
import { terminal } from "./zh-cn/terminal/terminal.ts";
import { watch } from "./zh-cn/watch.ts";

/** The same in Simplified Chinese. Names of commands, options and settings stay as they are typed. */
export const zhCn: Strings = {
  output: {
    error: "错误：",
    hint: "建议：",
    warning: "警告：",
    failure: (name, message) => `${name}。${message}`,
    unwritable: (why) => `无法写入标准输出：${why}`,
    unexpected: (message) => `意外错误：${message}`,
    unexpectedHint: "这不应该发生。请加上 WORLDLINE_DEBUG=1 再运行一次，查看它的来源并报告。",
  },
  phrases: {
    aside: (what, about) => `${what}（${about}）`,
    listed: (parts) => parts.join("，"),
  },
  confirm: {
    question: (question) => `${question} [y/N] `,
  },
  settings: {
    unknownKey: (key, place) => `${place}：此版本没有 ${key} 这个设置，已跳过。`,
    didYouMean: (key) => `是否想写 ${key}？`,
    ignoredUntilTrusted: (keys) =>
      `这个工作区的设置尚未受信任，以下设置被忽略：${keys}。` +
      "查看：worldline config --explain。信任：worldline config trust",
    notTheWorkspaces: (keys) =>
      `工作区无权决定涉及所有工作区的设置，无论是否受信任，以下设置被忽略：${keys}。` +
      "请为自己设置：worldline config set",
    contradiction: (variable, key, place) => `${variable} 覆盖了 ${key}，而 ${place} 的设置与之相反。`,
    trustUnreadable: (file, why) =>
      `无法读取 ${file}，因此什么都不受信任：${why}。请删除它并重新信任：worldline config trust`,
    trustForeign: "它不是 Worldline 写的内容",
  },
  config: {
    fromDefault: "默认值",
    fromEnvironment: (variable) => `环境变量 ${variable}`,
    fromFlag: "选项 --setting",
    overrode: (value, source) => `覆盖了 ${value}（${source}）`,
    ignored: (value, source) => `受信任之前被忽略：${value}（${source}）`,
    ignoredAlways: (value, source) => `因在工作区中而被忽略：${value}（${source}）`,
    file: (layer, path, state) => `${layer}设置：${path}（${state}）`,
    fileStates: { read: "已读取", missing: "不存在" },
    layers: { user: "用户", workspace: "工作区", local: "本地" },
    trust: (state) => `信任：${state}`,
    trustStates: {
      trusted: "工作区的设置受信任",
      untrusted: "工作区的设置尚未受信任",
      "nothing-to-trust": "不需要，工作区没有自己的设置",
    },
    written: (key, value, file) => `已在 ${file} 中设置 ${key} = ${value}`,
    alreadySet: (key, value, file) => `${file} 中 ${key} 已经是 ${value}。`,
    overriddenBy: (key, value, source) => `${key} 在这里仍是 ${value}，因为：${source}`,
    stillIgnored: (key) => `${key} 在这里会被忽略，直到你信任这个工作区的设置：worldline config trust`,
    notChecked: (why) => `已写入，但要先修正以下问题才会生效：${why}`,
    trusted: (workspace, files) => `已信任 ${workspace} 现在的设置：${files}`,
    untrusted: (workspace) => `不再信任 ${workspace} 的设置。`,
    wasNotTrusted: (workspace) => `${workspace} 的设置本来就不受信任。`,
    nothingToTrust: (workspace) => `${workspace} 没有自己的设置，没有什么需要信任。`,
  },
  errors,
  reasons: errorsInChinese,
  agent,
  recap,
  stats,
  compact,
  resume,
  hosts,
  models,
  setup,
  time,
  sessionsHere,
  checkpoints,
  journeys,
  files,
  looking,
  sessions,
  exchange,
  executions,
  doctor,
  forget,
  store,
  story,
  watch,
  run,
  prove,
  find,
  terminal,
};
