import type { remarksInEnglish } from "../../en/errors/remarks.ts";
import type { Translated } from "../../errors/texts.ts";
import { providers } from "./explanations.ts";
import { importWarnings } from "./import-warnings.ts";
import { mcpFaults, mcpServers } from "./mcp.ts";
import { httpFaults } from "./models.ts";
import { toolRefusals } from "./tool-refusals.ts";

const leftOut: Readonly<Record<string, string>> = {
  unreadable: "无法读取",
  changing: "一直在变",
  "path-too-long": "路径过长",
};

const errnos: Readonly<Record<string, string>> = {
  EACCES: "没有权限",
  EBUSY: "正被使用",
  EDQUOT: "配额已用完",
  EFBIG: "超出此文件系统的大小上限",
  EIO: "磁盘出错",
  ELOOP: "被一个链接挡住",
  EMLINK: "链接过多",
  ENAMETOOLONG: "名称过长",
  EMFILE: "打开的文件过多：请提高上限（ulimit -n）后重试",
  ENFILE: "本机打开的文件过多",
  ENOENT: "恢复期间消失",
  ENOSPC: "磁盘空间不足",
  ENOTDIR: "被一个不是文件夹的内容挡住",
  EPERM: "不允许",
  ESTALE: "恢复期间被其他内容取代",
  EROFS: "文件系统为只读",
};

const LOST = "在这里无法恢复，但会话的其余部分不受影响。";

export const remarksInChinese: Translated<typeof remarksInEnglish> = {
  "kept-outside": { message: () => "此后被他人改动" },
  "kept-unmerged": { message: () => "此后被他人改动，且两边的改动无法合并" },
  "kept-not-captured": { message: () => "当时或现在未被捕获" },
  "kept-unreadable": { message: () => "现在无法读取" },
  "kept-never-captured": { message: () => "从未被捕获" },
  "kept-ignored": { message: () => "已被忽略，且不全是这条时间线所写" },
  "kept-holds-kept": { message: () => "其中有要保留的内容" },
  "kept-needs-kept": { message: () => "与保留的内容冲突，无处可放" },
  "kept-not-asked": { message: () => "缺少未要求恢复的内容，无处可放" },
  "kept-elsewhere": { message: () => "现在指向别处，或已不是文件" },
  "kept-untracked": {
    message: () => "不在代理自己的文件检查点中，命令和子代理的改动都不在其中",
  },
  "kept-cut-off": { message: () => "回退在此之前中断，或其中没有它" },
  "kept-chosen": { message: () => "按你的选择保留" },
  "kept-journey-not-written": { message: () => "这次操作未能写入日志" },
  "path-permission": { message: () => "没有权限" },
  "path-disk-read-only": { message: () => "磁盘为只读" },
  "path-disk-full": { message: () => "磁盘空间不足" },
  "path-many-open-files": { message: () => "打开的文件过多：请提高上限（ulimit -n）" },
  "path-in-the-way": { message: () => "该位置已被其他内容占用" },
  "path-folder-replaced": { message: () => "其间所在路径上的文件夹被替换" },
  "path-system-error": { message: ({ errno }) => `系统报错 ${errno}` },
  "path-not-as-written": { message: () => "写入后重新读取，内容不符" },
  "path-hard-link-split": { message: () => "硬链接已断开" },
  "path-link-now": { message: () => "现在是链接，已跳过" },
  "path-backup-missing": { message: () => "备份缺失，或无法写入" },
  "path-known-later": { message: () => "与检查点时不同：代理自己的检查点只有它更晚的内容" },
  "path-not-checked": { message: () => "无法查看它的结果" },
  "restore-changed-meanwhile": { message: () => "恢复期间被改动" },
  "restore-changed-since": { message: () => "此后被改动" },
  "restore-left-out": { message: () => "未被捕获" },
  "restore-holds-kept": { message: () => "其中有内容被保留" },
  "restore-holds-uncaptured": { message: () => "其中有未被捕获的内容" },
  "restore-link-in-the-way": { message: () => "被一个链接挡住" },
  "restore-file-in-the-way": { message: () => "被一个不是文件夹的内容挡住" },
  "restore-folder-missing": { message: () => "它所在的文件夹不存在" },
  "restore-not-allowed": { message: () => "恢复不能改动这个路径" },
  "restore-git-name": { message: () => "此文件系统把它的名字当作 .git" },
  "restore-not-carried-out": { message: () => "未执行" },
  "restore-wrong-after-writing": { message: () => "写入后的内容不符" },
  "restore-temporary-left": { message: () => "它所在的文件夹里有一个临时文件无法删除" },
  "restore-kept-aside": { message: ({ path }) => `原有内容在恢复期间被改动，已保留为 ${path}` },
  "restore-not-read-again": { message: ({ problem }, { message }) => `无法重新读取：${message(problem)}` },
  "restore-not-durable": { message: ({ problem }, { message }) => `无法确保写入磁盘：${message(problem)}` },
  "restore-mode-not-set": { message: ({ problem }, { message }) => `无法设置权限：${message(problem)}` },
  "restore-mode-not-returned": {
    message: ({ problem }, { message }) => `未能还原它的权限：${message(problem)}`,
  },
  "restore-folder-mode-not-returned": {
    message: ({ problem }, { message }) => `未能还原它所在文件夹的权限：${message(problem)}`,
  },
  "restore-system-error": {
    message: ({ errno }) => (errno in errnos ? `${errnos[errno]}（${errno}）` : errno),
  },
  "capture-gaps": {
    message: ({ count, paths }) => {
      const shown = paths.map(({ path, why }) => `${path}（${leftOut[why] ?? why}）`).join("、");
      return `${count} 个路径未能捕获：${shown}${count > paths.length ? " 等" : ""}`;
    },
  },
  "capture-never-made": { message: () => "未被捕获" },
  "backtrack-turn-interrupted": { message: () => "本轮已被中断。" },
  "backtrack-turn-ended": { message: () => "本轮已结束。" },
  "backtrack-turn-ended-meanwhile": { message: () => "其间本轮已结束。" },
  "backtrack-person-rewound": { message: () => "用户回退了对话。" },
  "backtrack-person-redid": { message: () => "用户进行了重做。" },
  "backtrack-plan-mode": { message: () => "计划模式下不能恢复文件。" },
  "capture-still-running": { message: () => "仍在捕获文件。" },
  "left-running": {
    message: ({ commands, program }) => {
      const all = program === undefined ? commands : [`${program} 及其启动的进程`, ...commands];
      return `被强行终止的那次运行留下了仍在运行的命令，现已结束：${all.join("；")}`;
    },
  },
  "command-continues": {
    message: () => "命令启动的进程仍在后台运行；离开时，或在回退时选择结束它，它就会结束。",
  },
  "reply-cut": { message: () => "回复达到模型的输出上限，被截断。" },
  "backtrack-step-over": { message: () => "提出它的那一步已结束。" },
  "backtrack-call-denied": { message: () => "同一步中的另一个调用被拒绝。" },
  "backtrack-call-unfinished": { message: () => "同一步中的另一个调用没有完成。" },
  "capture-failed": {
    message: ({ checkpoint, problem }, { message }) =>
      `${checkpoint === undefined ? "" : `检查点 ${checkpoint} 的`}文件未能捕获：${message(problem)}`,
  },
  "capture-in-part": {
    message: ({ problem }, { message }) => `文件只捕获了一部分：${message(problem)}`,
  },
  "backtrack-dropped": { message: ({ problem }, { message }) => `一次回溯已被取消。${message(problem)}` },
  "backtrack-files-not-restored": {
    message: ({ problem }, { message }) => `文件未能恢复。${message(problem)}`,
  },
  "damage-checksum": { message: () => "校验和与该行不符。" },
  "damage-not-json": { message: () => "该行不是 JSON 对象。" },
  "damage-not-utf8": { message: () => "该行不是 UTF-8。" },
  "damage-shape": { message: () => "该行不符合其类型的要求。" },
  "damage-lines-missing": { message: ({ lines }) => `此行之前缺少 ${lines} 行。` },
  "damage-repeated": { message: () => "日志中已有这一行。" },
  "damage-header": { message: () => "第一行无法读取，已用 session.json 中的副本代替。" },
  "damage-torn-tail": { message: () => "最后一行没有写完。" },
  "damage-displaced": { message: () => "该行位于更晚的行之后，不会被读取；它仍在文件中。" },
  "damage-cut-off": { message: () => "日志中没有可读的条目。" },
  "damage-lines-gone": { message: ({ lines }) => `索引中记录的 ${lines} 行已不在日志中。` },
  "damage-newest-file-missing": { message: () => "文件不存在，最新的行随之丢失。" },
  "damage-file-missing": { message: () => "文件不存在，其中的行随之丢失。" },
  "damage-header-copy": { message: () => "第一行的副本无法读取。" },
  "damage-line": { message: ({ fault }) => `该行无法读取（${fault}）。` },
  "damage-line-gone": { message: () => "该行不存在。" },
  "damage-blob-gone": { message: ({ hash }) => `长文本 ${hash} 不存在。` },
  "damage-blob-other-bytes": { message: ({ hash }) => `长文本 ${hash} 的内容与名称不符。` },
  "damage-blob-file-gone": { message: () => "长文本不存在。" },
  "damage-blob-file-other-bytes": { message: () => "长文本的内容与名称不符。" },
  "damage-blob-file-unreadable": { message: ({ errno }) => `长文本无法读取（${errno}）。` },
  "damage-blob-lost": { message: ({ hash }) => `长文本 ${hash} 已丢失。` },
  "damage-entries-missing": {
    message: ({ entries, from, until }) =>
      `从第 ${from} 行起缺少 ${entries} 个已确认的条目，其中最后一个在 ${until}：数据库比这更旧`,
  },
  "health-unrepairable": { message: () => "Worldline 无法修复。" },
  "health-newer-format": {
    message: ({ format, ours }) =>
      `会话由更新版本的 Worldline 写入（格式 ${format}；本版本写入格式 ${ours}）。`,
  },
  "health-newer-format-hint": { message: () => "本版本可以读取该会话，但不能继续。请更新 Worldline。" },
  "health-foreign": {
    message: ({ entries }) => `${entries} 个条目的类型本版本不认识。它们会保留，但被跳过。`,
  },
  "health-foreign-hint": { message: () => "更新 Worldline 后可以查看它们。" },
  "health-unfinished": {
    message: ({ calls }) => `有工具调用已开始但未结束：${calls.join("、")}。它们可能已生效，也可能没有。`,
  },
  "health-unfinished-hint": {
    message: ({ session }, { command }) =>
      `如果没有程序正在使用该会话，可以查看它们进行到哪里：${command({ do: "log", session })}，或 ${command({ do: "sessions show", session })}`,
  },
  "health-line-hint": { message: () => `${LOST}该文件的其他副本（例如备份）中可能还有这一行。` },
  "health-lost-hint": { message: () => LOST },
  "health-repeated-hint": { message: () => "以两行中的第一行为准，无需处理。" },
  "health-torn-tail-hint": {
    message: (_, { command }) =>
      `崩溃中断了最后一次写入。下次打开会话时，或运行 ${command({ do: "doctor", fix: true })} 时，不完整的行会移到单独的文件中保留。`,
  },
  "health-blob-hint": { message: () => `一段长文本已丢失，并会显示为已丢失。${LOST}` },
  "health-header-hint": { message: () => "第一行存有两份，另一份完好。派生该会话即可重新拥有两份。" },
  "health-headers-lost-hint": {
    message: ({ session }, { command }) =>
      `日志的第一行也已丢失，因此无法得知会话所属的工作区。查看剩下的内容：${command({ do: "log", session })}。如果什么都没有剩下：${command({ do: "sessions delete", session })}`,
  },
  "health-file-hint": { message: () => `${LOST}如果你有该文件的副本，请放回原处。` },
  "health-set-aside": { message: ({ file, bytes }) => `不完整的行（${bytes} 字节）已移到 ${file}。` },
  "health-line-ended": { message: () => "最后一行已补全。" },
  "health-lock-removed": {
    message: ({ owner }) =>
      owner === "" ? "无法读取的锁已移除。" : `${owner} 的锁已移除，它不再使用该会话。`,
  },
  "health-still-there": { message: () => "问题仍然存在。" },
  "kimi-not-an-object": { message: () => "不是 JSON 对象" },
  "kimi-glued": { message: () => "多条记录连在了一行" },
  "kimi-not-utf8": { message: () => "含有不是 UTF-8 的字节" },
  "kimi-content-not-text": { message: () => "content 不是文本" },
  "kimi-id-not-whole": { message: () => "id 不是整数" },
  "kimi-count-not-number": { message: () => "token_count 不是数字" },
  "kimi-content-unknown": { message: () => "content 既不是文本，也不是已知部分的列表" },
  "kimi-role-unknown": { message: () => "role 未知" },
  "kimi-calls-wrong": { message: () => "tool_calls 的格式不对" },
  "kimi-no-call": { message: () => "没有说明它回答哪个调用" },
  several: { message: ({ problems }, { message }) => problems.map(message).join("；") },
  ...toolRefusals,
  ...httpFaults,
  ...importWarnings,
  ...mcpFaults,
  ...mcpServers,
  ...providers,
};
