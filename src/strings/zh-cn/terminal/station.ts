import type { Strings } from "../../strings.ts";

export const station: Strings["terminal"]["station"] = {
  lookedFor: {
    variable: (name) => `环境变量 ${name}`,
    setting: "设置项“model”",
    settingNamed: (model) => `设置项“model”：${model}`,
    kept: "由 `worldline setup` 保存的密钥",
  },
  resume: (command) => `继续会话：${command}`,
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
