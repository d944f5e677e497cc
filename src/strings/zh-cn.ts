import type { Strings } from "./strings.ts";
import { agent, compact, hosts, models, recap, resume, setup, stats } from "./zh-cn/agent.ts";
import { callReasons } from "./zh-cn/call-reasons.ts";
import { prove, story } from "./zh-cn/demo.ts";
import { errorsInChinese } from "./zh-cn/errors/errors.ts";
import { remarksInChinese } from "./zh-cn/errors/remarks.ts";
import { checkpoints, files, journeys, store } from "./zh-cn/files.ts";
import { find, run, watch } from "./zh-cn/finder.ts";
import { help } from "./zh-cn/help/help.ts";
import { doctor, forget } from "./zh-cn/maintenance.ts";
import { markdown } from "./zh-cn/markdown.ts";
import { time } from "./zh-cn/measures.ts";
import { exchange, executions, looking, sessions, sessionsHere } from "./zh-cn/sessions.ts";
import { settingDescriptions } from "./zh-cn/setting-descriptions.ts";
import { terminal } from "./zh-cn/terminal.ts";

const errors: Strings["errors"] = {
  BACKTRACK_REFUSED: "拒绝回溯",
  BLOB_DAMAGED: "长文本已损坏",
  BLOB_MISSING: "长文本缺失",
  BUNDLE_INVALID: "会话包无效",
  CANCELLED: "已取消",
  CHECKPOINT_AMBIGUOUS: "检查点不唯一",
  CHECKPOINT_UNKNOWN: "没有这个检查点",
  CONTEXT_TOO_LONG: "上下文过长",
  ENTRIES_MISSING: "条目缺失",
  ENTRY_INVALID: "条目无效",
  ENTRY_UNKNOWN: "没有这个条目",
  EXECUTION_UNKNOWN: "没有这个执行",
  FORMAT_NEWER: "由更新的版本写入",
  HOME_KEY_UNUSABLE: "无法使用此主目录的密钥",
  IMPORT_INVALID: "无法导入",
  INPUT_INVALID: "输入无效",
  JOURNEY_UNKNOWN: "没有这次跳转",
  LABEL_INVALID: "标签无效",
  MODEL_BUSY: "模型繁忙",
  MODEL_FAILED: "模型出错",
  MODEL_KEY: "密钥不可用",
  MODEL_REDIRECTED: "模型地址被重定向",
  MODEL_REFUSED: "模型拒绝回答",
  MODEL_UNKNOWN: "没有这个模型",
  MODEL_UNREACHABLE: "连不上模型",
  NEEDS_YES: "需要确认",
  NOTHING_TO_COMPACT: "没有可压缩的内容",
  NOTHING_TO_FORGET: "没有可遗忘的内容",
  NOTHING_TO_REDO: "没有可重做的操作",
  NO_MODEL: "没有可用的模型",
  RESTORE_UNFINISHED: "恢复未完成",
  RETRIES_SPENT: "重试次数已用完",
  REWIND_REFUSED: "拒绝回退",
  SEQ_CONFLICT: "其他程序同时写入",
  SESSION_AMBIGUOUS: "会话不唯一",
  SESSION_CLOSED: "会话已关闭",
  SESSION_EXISTS: "会话已存在",
  SESSION_HELD: "会话正被占用",
  SESSION_UNCONFIRMED: "会话未确认",
  SESSION_UNKNOWN: "没有这个会话",
  SETTINGS_INVALID: "设置无效",
  SNAPSHOT_DAMAGED: "快照已损坏",
  SNAPSHOT_MISSING: "快照缺失",
  SNAPSHOTS_HELD: "快照存储正被占用",
  STEP_CHANGED: "程序已改变",
  STEP_FAILED: "步骤失败",
  STEP_LIMIT: "已达步骤上限",
  STEP_UNFINISHED: "步骤未完成",
  STORE_BUSY: "存储繁忙",
  STORE_FULL: "磁盘空间不足",
  STORE_UNREACHABLE: "连不上存储",
  STORE_UNREADABLE: "存储无法读取",
  STORE_UNWRITABLE: "存储无法写入",
  TURN_RUNNING: "轮次仍在进行",
  USAGE: "命令用法有误",
  WORKSPACE_UNUSABLE: "工作区不可用",
  UNEXPECTED: "意外错误",
};

/** All strings in Simplified Chinese. The names of commands, options, and settings are not translated. */
export const zhCn: Strings = {
  reasons: { ...errorsInChinese, ...remarksInChinese },
  callReasons,
  help,
  settingDescriptions,
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
  markdown,
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
