import type { Strings } from "../../strings.ts";

export const station: Strings["terminal"]["station"] = {
  lookedFor: {
    variable: (name) => `环境变量 ${name}`,
    setting: "设置项“model”",
    settingNamed: (model) => `设置项“model”：${model}`,
    kept: "由 `worldline setup` 保存的密钥",
  },
  resume: (command) => `继续会话：${command}`,
  notSent: (count) => `有 ${count} 条消息没有发送（可用 ↑ 从历史记录中找回）`,
  forkOf: (title) => `分叉自 ${title}`,
  leftRunning: (count) => `本会话上次运行时被强行终止，还有 ${count} 条命令在运行：`,
  leftRunningHint: "你的下一条提示或 ! 命令会先结束它。回退时也可以选择结束它。",
  otherFolder: (folder) => `本会话在另一个文件夹中工作：${folder}`,
  folderGone: (folder) => `${folder} 已不存在；/rewind 会重新创建它`,
  dumb: "这里不打开屏幕界面：此终端表示无法绘制内容（TERM=dumb）。所有命令都可以使用。",
  trustedLater: "已信任。此文件夹的 MCP 服务器和权限规则在下次打开会话时生效。",
  sample: {
    made: (folder) => `一个小商店项目，测试通过：${folder}`,
    broken: (steps) => `一个智能体分 ${steps} 步改动了它，现在测试失败。`,
    asked: "是哪一步弄坏的？查找器在早先状态的副本里逐一运行测试：",
    right: "与实际改动一致：结论正确。",
    wrong: "与实际改动不一致。请用 worldline find --sample 复现并报告。",
    gone: "以上都在临时文件夹中进行，现已删除。",
  },
};
