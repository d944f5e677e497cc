import type { Strings } from "../../strings.ts";
import { whole } from "../measures/whole.ts";

export const sessionsHere: Strings["sessionsHere"] = {
  chosen: (session) => `会话 ${session}，这里最近使用的一个。`,
  elsewhere: (session, workspace) => `会话 ${session} 在另一个文件夹中工作：${workspace}`,
  passedOver: (session, count, command) =>
    `会话 ${session}${count === 1 ? "" : `等 ${count} 个会话`}来自别处，确认之前会被跳过：${command(`sessions confirm ${session}`)}`,
  unconfirmed: {
    session: (session, title) =>
      `会话 ${session}${title === "" ? "" : `（“${title}”）`}不是由本机的 Worldline 主目录写入的。`,
    imported: (from, name) =>
      from === "bundle" ? `它从会话 ${name} 的导出包导入。` : `它从 ${from} 导入：${name}`,
    fromStore: (kind) =>
      kind === "files"
        ? "它是被复制到此主目录的，或使用了另一个主目录的密钥。"
        : "它由另一个主目录写入此存储：您的另一台机器，或其他人。",
    claims: (workspace) => (workspace === "" ? "它没有指明文件夹。" : `它声称曾在此工作：${workspace}`),
    worksIn: (workspace) => `它将在您当前所在的文件夹中工作：${workspace}`,
    means: "其内容会作为对话交给模型。它授予的权限、它的系统提示以及此文件夹之外的文件都不算数。",
    question: (session, workspace) => `在 ${workspace} 中继续会话 ${session}？`,
    confirmed: (session, workspace) => `会话 ${session} 已确认，工作文件夹：${workspace}`,
    already: (session, workspace) => `会话 ${session} 早已确认，工作文件夹：${workspace}`,
    isOwn: (session) => `会话 ${session} 由此主目录写入，无需确认。`,
  },
  found: (session) => `会话 ${session}`,
  created: (session) => `已开始这个工作区自己的会话 ${session}`,
  workspacesOwn: "这个工作区自己的",
  waiting: (owner, milliseconds) =>
    `${owner} 正占用此会话，最多等待 ${whole(Math.ceil(milliseconds / 1000))} 秒。`,
  owner: (name, pid, host) => `${name}（${host} 上的进程 ${pid}）`,
  entriesMissing: (entries, sessions) =>
    `数据库缺少 ${sessions} 个会话的 ${entries} 个已确认写入的条目：它比写入过的内容更旧。详情：worldline doctor`,
  setAside: (bytes, file) => `最后一行没有写完。已有的部分（${whole(bytes)} 字节）保存在 ${file}`,
  listUnwritten: (why) => `无法写入 checkpoints/metadata.json：${why} 检查点本身已保存在日志中。`,
  broken: (session, why) => `会话 ${session} 无法打开，已跳过：${why}`,
  damaged: (session, places) =>
    `会话 ${session} 的日志有 ${whole(places)} 处损坏；其余照常显示。查看：worldline log`,
  damagedSince: (session, found) => `会话 ${session} 的日志已损坏；其余照常显示。${found.join(" ")}`,
  foreign: (session, entries) =>
    `会话 ${session} 有 ${whole(entries)} 个条目的类型是此版本不认识的；它们会保留，并被跳过。`,
};
