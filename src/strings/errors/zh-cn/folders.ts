import type { folders as english, WhyNoFolder } from "../en/folders.ts";
import type { Translated } from "../texts.ts";

const cannotBe = ({ folder, why }: { readonly folder: string; readonly why: WhyNoFolder }) =>
  `${folder} 不能作为工作区：${whyNoFolder(why)}。`;

export const folders: Translated<typeof english> = {
  "home-not-a-folder": {
    message: ({ folder }) => `Worldline 的主目录 ${folder} 不是文件夹。`,
    hint: () => chooseHome,
  },
  "home-not-made": {
    message: ({ folder, why }) =>
      `无法创建 Worldline 的主目录 ${folder}${why === undefined ? "" : `：${why}`}。`,
    hint: () => chooseHome,
  },
  "current-folder-gone": {
    message: () => "当前文件夹已经不存在。",
    hint: () => "请换到一个存在的文件夹。",
  },
  "workspace-not-found": {
    message: cannotBe,
    hint: (_, { place }) =>
      place === "screen" ? "请指定一个存在的文件夹。" : "请指定一个存在的文件夹：--workspace <folder>",
  },
  "workspace-is-a-file": {
    message: ({ folder }) => `${folder} 不能作为工作区：它不是文件夹。`,
    hint: () => "请指定它所在的文件夹。",
  },
  "workspace-unreadable": { message: cannotBe, hint: () => "请检查它的权限。" },
  "workspace-gone": {
    message: ({ folder }) => `工作区 ${folder} 不存在。`,
    hint: ({ folder }) => `重新创建它，回退就能找回其中的文件：mkdir -p ${folder}`,
  },
  "workspace-elsewhere": {
    message: ({ session, workspace }) => `会话 ${session} 在 ${workspace} 中工作，而这台机器上没有该文件夹。`,
    hint: ({ session }, { command }) =>
      `请把该文件夹带到这里，或在一个在此处工作的副本中继续：${command(`fork ${session} --here`)}`,
  },
  "no-temporary-folder": {
    message: ({ folder }) => `没有可存放临时内容的文件夹 ${folder}。`,
    hint: () => "请把 TMPDIR 设为一个存在的文件夹，或去掉 --no-session。",
  },
};

const chooseHome =
  "请把 WORLDLINE_HOME 设为你可以写入的文件夹。对智能体，--no-session 不在磁盘上保存任何内容。";

function whyNoFolder(why: WhyNoFolder): string {
  if (why === "missing") return "它不存在";
  if (why === "below-a-file") return "它的路径中有一部分不是文件夹";
  return why === "forbidden" ? "不允许读取它" : why.system;
}
