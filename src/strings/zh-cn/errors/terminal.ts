import { callReasonText } from "../../call-reasons.ts";
import type { EndOfProgram, terminal as englishTerminal } from "../../en/errors/terminal.ts";
import type { Translated } from "../../errors/texts.ts";
import { callReasons } from "../call-reasons.ts";

const noFilesHint = "没有做任何更改。可以只回退对话。";

export const terminal: Translated<typeof englishTerminal> = {
  "running-here": {
    message: () => "这里还有操作正在进行。",
    hint: () => "请等它结束，或先中断它。",
  },
  "running-before-journey": {
    message: ({ problem }, { message }) => message(problem),
    hint: () => "请等它结束，或按 Esc 中断它：到那时为止完成的会留在时间线上。",
  },
  "auto-mode-not-confirmed": {
    message: () => "这个会话中还没有确认自动模式。",
    hint: () => "请按名称进入：/permissions auto",
  },
  "session-not-kept": {
    message: () => "不保存的会话不能分叉。",
    hint: () => "请开始一个不带 --no-session 的会话。",
  },
  "session-is-this-one": {
    message: () => "这就是你所在的会话。",
    hint: () => "请先打开另一个会话，或开始新的会话。",
  },
  "file-to-replace": {
    message: ({ path }) => `${path} 已存在。`,
    hint: () => "请换一个名称，或替换它：--force",
  },
  "no-editor": {
    message: () => "没有编辑器：VISUAL 和 EDITOR 都没有指明。",
    hint: () => "请设置 EDITOR，例如：export EDITOR=nano",
  },
  "editor-failed": {
    message: ({ editor, end }) => `${editor} 异常结束：${endText(end)}。文本保持原样。`,
    hint: () => "请检查 VISUAL 和 EDITOR。",
  },
  "finder-without-answer": {
    message: ({ why }) => `查找没有得出结果：${why}`,
    hint: (_, { command }) => `查看全部：${command({ do: "find --sample" })}`,
  },
  "prompts-not-a-number": {
    message: ({ given }) => `${given} 不是要撤回的提示词数。`,
    hint: () => "/undo 撤回最近一个提示词或 ! 命令，/undo 3 撤回最近三个。",
  },
  "nothing-to-take-back": {
    message: () => "这个分支上没有可以撤回的内容。",
    hint: () => "要再次前进：/redo。要去其他地方：/rewind",
  },
  "fewer-prompts": {
    message: ({ wanted, found }) => `这个分支上只有 ${found} 个提示词和命令，没有 ${wanted} 个。`,
    hint: ({ found }) => `要撤回全部：/undo ${found}。要去其他地方：/rewind`,
  },
  "conflict-gone": {
    message: ({ name }) => `${name} 已经不再有他人的改动。`,
    hint: () => "没有做任何更改。请再看一次预览：文件已与预览显示的不同。",
  },
  "files-cannot-go-back": {
    message: ({ problem }, { message }) => message(problem),
    hint: ({ problem }, { hint }) => hint(problem) || noFilesHint,
  },
  "host-cannot-go-back": {
    message: ({ problem }, { message, command }) =>
      `${message(problem)}Worldline 自己的快照可能有：${command({ do: "config set", key: "snapshots.engine", value: "worldline" })}`,
    hint: ({ files }, { hint }) => (files === undefined ? "" : hint(files)) || noFilesHint,
  },
  "files-of-checkpoint-not-captured": {
    message: ({ checkpoint, why }, { message }) =>
      `没有捕获检查点 ${checkpoint} 的文件${why === undefined ? "。" : `：${message(why)}`}`,
    hint: () => noFilesHint,
  },
  "files-of-checkpoint-let-go": {
    message: ({ checkpoint, machine }) =>
      machine === undefined
        ? `检查点 ${checkpoint} 的文件已不再保留。`
        : `检查点 ${checkpoint} 的文件在捕获它们的 ${machine} 上，不在这台机器上。`,
    hint: () => noFilesHint,
  },
  "no-instructions-to-load": {
    message: () => "这个工作区没有 AGENTS.md。",
    hint: () => "请指明文件：/load-context <path>",
  },
  "file-denied": {
    message: ({ path, because }) =>
      `不允许读取 ${path}：${callReasonText(callReasons, because) ?? because.code}。`,
  },
  "file-larger-than-context": {
    message: ({ path, tokens, free }) => `${path} 放不进上下文：约 ${tokens} 个 token，而剩余 ${free} 个。`,
    hint: () => "请载入其中一部分，用 /compact 腾出空间，或在提示词中写明该文件，让模型读取需要的部分。",
  },
  "file-empty": { message: ({ path }) => `${path} 是空的。` },
  "file-to-load-not-text": {
    message: ({ path }) => `${path} 不是文本文件。`,
    hint: () => "图片可以通过其路径粘贴到提示词中。",
  },
  "file-to-load-no-file": {
    message: ({ path, is }) => `${path} ${is === "directory" ? "是文件夹" : "不是文件"}。`,
  },
  "file-too-large-to-load": {
    message: ({ path, bytes, most }) => `${path} 太大，无法载入：${bytes} 字节，最多可载入 ${most} 字节。`,
    hint: () => "请改为在提示词中写明该文件：模型会读取需要的部分。",
  },
  "file-to-load-missing": { message: ({ path }) => `没有文件 ${path}。` },
  "file-to-load-unreadable": { message: ({ path, code }) => `无法读取 ${path}（${code}）。` },
};

function endText(end: EndOfProgram): string {
  if ("system" in end) return end.system;
  return "signal" in end ? end.signal : `退出码 ${end.exitCode}`;
}
