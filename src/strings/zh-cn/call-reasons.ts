import type { CallReasonTexts } from "../call-reasons.ts";
import { modeName } from "./measures.ts";

export const callReasons: CallReasonTexts = {
  "denied-by-rule": ({ rule }) => `规则 ${rule} 不允许`,
  "asked-by-rule": ({ rule }) => `规则 ${rule} 要求询问`,
  "plan-mode": () => "计划模式：计划获批之前，不能改动或运行任何东西",
  "mode-asks-files": ({ mode }) => `${modeName(mode)}模式下，改动文件前会询问`,
  "mode-asks-commands": ({ mode }) => `${modeName(mode)}模式下，运行命令前会询问`,
  "mode-asks-tool": ({ mode, tool }) => `${modeName(mode)}模式下，使用 ${tool} 前会询问`,
  "outside-workspace": ({ path }) => `在工作区之外：${path}`,
  "protected-path": ({ name }) => `${name} 能让程序运行，任何模式下改动它都会询问`,
  "too-many-commands": () => "其中的命令太多，无法全部读取",
  network: ({ url }) => `会访问网络：${url}`,
  "mcp-tool": () => "这是 MCP 服务器的工具",
  declined: () => "你已拒绝。",
  "nobody-to-ask": () => "打印模式下无人可问。",
  "host-guard": ({ said }) => `Claude Code 保护着它：${said}`,
  "search-finds-denied": () => "在文件夹中搜索也会找到规则不允许读取的内容",
  "outlives-turn": () => "轮次结束后它还会继续",
  "beyond-session": () => "它的影响超出本会话",
  "works-elsewhere": ({ where }) => `它在别处工作：${where}`,
  "main-agent-only": () => "只有主智能体可以离开计划模式",
  "user-sets-mode": () => "模式由你选择，智能体不能改变",
  "folder-is-fixed": () => "智能体只在这个文件夹中工作",
  "user-starts-turns": () => "只有你能开始一个轮次",
};
