import type { toolRefusals as english } from "../../en/errors/tool-refusals.ts";
import type { Translated } from "../../errors/texts.ts";

const CIRCLE = "它的符号链接构成循环";

const errnos: Readonly<Record<string, string>> = {
  EACCES: "没有权限",
  EBUSY: "正被使用",
  EDQUOT: "配额已用完",
  EEXIST: "该位置已有同名内容",
  EIO: "磁盘出错",
  EISDIR: "它是文件夹",
  ELOOP: CIRCLE,
  ENAMETOOLONG: "名称过长",
  ENOENT: "它不存在",
  ENOSPC: "磁盘空间不足",
  ENOTDIR: "其路径中的某个文件夹是文件",
  EPERM: "不允许此操作",
  EMFILE: "打开的文件过多，可提高上限（ulimit -n）",
  EROFS: "文件系统为只读",
  PARENT_CHANGED: "其路径中的某个文件夹已被链接取代",
  NOT_A_FILE: "它已不是文件",
};

const kinds = { file: "文件 ", folder: "文件夹 ", any: " " };

const advices = {
  "line-numbers": "请去掉 Read 在每行前面加上的行号。",
  whitespace: "其中有空白不同的同样内容：请照原样复制缩进和换行。",
  "read-again": "请重新读取该处，并照原样复制。",
  exactly: "请从文件中照原样复制，包括引号和空格。",
};

export const toolRefusals: Translated<typeof english> = {
  "file-links-circle": { message: () => CIRCLE },
  "file-link-now": { message: () => "它刚被一个符号链接取代" },
  "file-is-fifo": { message: () => "它是命名管道，从不打开" },
  "file-is-socket": { message: () => "它是套接字，从不打开" },
  "file-is-device": { message: () => "它是设备，从不打开" },
  "file-system-error": { message: ({ errno, said }) => errnos[errno] ?? said },
  "nothing-there": {
    message: ({ kind, path, similar }) =>
      `没有${kinds[kind]}${path}。${similar.length === 0 ? "" : `你是指 ${similar.join(" 或 ")} 吗？`}`,
  },
  "file-is-folder": { message: ({ path }) => `${path} 是文件夹。` },
  "tool-cannot-write": {
    message: ({ path, problem }, { message }) => `无法写入 ${path}：${message(problem)}。`,
  },
  "tool-cannot-read": {
    message: ({ path, problem }, { message }) => `无法读取 ${path}：${message(problem)}。`,
  },
  "file-too-large": { message: ({ path }) => `${path} 超过 50 MB，请用 Bash 命令修改。` },
  "file-elsewhere": { message: ({ path }) => `${path} 现在指向的位置与询问时不同。请先查看它指向哪里。` },
  "file-not-read": { message: ({ path }) => `${path} 已存在，但代理在这次对话中还没有读过它。` },
  "file-changed-since-read": { message: ({ path }) => `${path} 在代理读取之后有改动，需要重新读取。` },
  "file-read-only": { message: ({ path }) => `${path} 是只读的，需要先用 Bash 修改其权限。` },
  "edit-without-change": { message: () => "old_string 与 new_string 相同：没有可改的内容。" },
  "edit-file-exists": {
    message: ({ path }) => `${path} 已存在：空的 old_string 只能新建文件。要替换全部内容，请用 Write。`,
  },
  "edit-not-text": { message: ({ path }) => `${path} 不是 UTF-8 文本，编辑会损坏它。请用 Bash 修改。` },
  "edit-several": {
    message: ({ path, times }) =>
      `old_string 在 ${path} 中出现 ${times} 次。请多给几行上下文，或设置 replace_all。`,
  },
  "edit-leaves-file": { message: ({ path }) => `这次编辑不会改变 ${path}。` },
  "edit-text-missing": { message: ({ path, advice }) => `${path} 中没有 old_string。${advices[advice]}` },
  "notebook-unreadable": { message: ({ path }) => `${path} 不是笔记本（notebook）。` },
  "notebook-cell-missing": { message: ({ path, cell }) => `${path} 中没有单元格 ${cell}。` },
  "not-a-url": { message: ({ text }) => `${text} 不是网址。请以 http:// 或 https:// 开头。` },
  "url-protocol": { message: ({ protocol }) => `只能获取 http 和 https 的网址，不能获取 ${protocol}//。` },
  "url-with-login": { message: () => "不获取含有用户名或密码的网址。" },
};
