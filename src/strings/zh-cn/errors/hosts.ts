import type { CommandText } from "../../commands.ts";
import type { ClaudeUnreachable, hosts as englishHosts, SdkInstall } from "../../en/errors/hosts.ts";
import type { Translated } from "../../errors/texts.ts";

export const hosts: Translated<typeof englishHosts> = {
  "sdk-absent": {
    message: ({ folder }) =>
      `主机“claude”需要 Claude Agent SDK，而它没有安装${folder === undefined ? "" : `在 claude.sdk 所指的 ${folder} 中`}。`,
    hint: ({ folder, install }, { command }) =>
      `请安装：${installCommand(install, command)}。它属于 Anthropic，是专有软件，约占 414 MB。${folder === undefined ? "如果它安装在别处，请指明该文件夹" : "或指明另一个文件夹"}：${command({ do: "config set", key: "claude.sdk", value: { any: "folder" } })}。Worldline 自己的智能体不需要它：--host native`,
  },
  "sdk-too-old": {
    message: ({ version, folder, needed }) =>
      `${folder} 中的 Claude Agent SDK ${version} 太旧：Worldline 需要 ${needed} 或更新版本。`,
    hint: ({ install }, { command }) => `请安装更新的版本：${installCommand(install, command)}`,
  },
  "sdk-without-program": {
    message: ({ folder, machine }) =>
      `${folder} 中的 Claude Agent SDK 没有适用于这台机器（${machine}）的程序。`,
    hint: ({ install }, { command }) =>
      `请重新安装，不要加 --omit=optional：${installCommand(install, command)}`,
  },
  "sdk-unloadable": {
    message: ({ folder, why }) => `${folder} 中的 Claude Agent SDK 已安装，但无法加载：${why}`,
    hint: ({ install }, { command }) => `请连同它所需的全部内容重新安装：${installCommand(install, command)}`,
  },
  "sdk-incomplete": {
    message: ({ folder, missing }) =>
      `${folder} 中的 Claude Agent SDK 已安装，但无法加载：它没有 ${missing.join(", ")}`,
    hint: ({ install }, { command }) => `请连同它所需的全部内容重新安装：${installCommand(install, command)}`,
  },
  "claude-model-unknown": {
    message: ({ model }) => `Claude Agent SDK 没有模型 ${model}。`,
    hint: ({ offered }) => `可用的有：${offered.join(", ")}`,
  },
  "command-leaves": {
    message: ({ command }) => `/${command} 是 Claude Code 中会离开此对话的命令。`,
    hint: (_, { command }) =>
      `对话由 Worldline 保存：请用 ${command({ do: "start", host: "claude" })} 开始另一个对话，或用 ${command({ do: "rewind" })} 回退。`,
  },

  "sdk-checkpoints-off": {
    message: () => "未启用检查点功能：Claude Agent SDK 在这里不保存文件检查点。",
    hint: () =>
      "没有改动任何文件。请从环境变量中去掉 CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING，并从其设置中去掉 fileCheckpointingEnabled。",
  },
  "sdk-checkpoint-missing": {
    message: () => "Claude Agent SDK 没有这个提示词的文件检查点。",
    hint: () =>
      "没有改动任何文件。它为每个会话保留最新的 100 个；轮次运行期间给出的提示词、压缩之前的提示词，以及没有要求它保留时的提示词，都没有检查点。",
  },
  "sdk-backup-missing": {
    message: () => "Claude Agent SDK 未能恢复任何文件：其备份数据缺失，或文件无法写入。",
    hint: () => "没有改动任何文件。请查看其文件夹 file-history 是否还在，以及文件是否可写。",
  },
  "sdk-session-missing": {
    message: () => "Claude Agent SDK 已没有给出这个提示词的会话。",
    hint: () =>
      "没有改动任何文件。它在 cleanupPeriodDays（默认 30 天）之后删除会话，并且没有其他机器或其他配置文件夹的会话。",
  },
  "sdk-checkpoints-elsewhere": {
    message: () => "当会话位于会话存储中时，Claude Agent SDK 不保存文件检查点。",
    hint: () => "没有改动任何文件。其文件检查点需要它自己的文件。",
  },
  "sdk-rewind-failed": {
    message: ({ said }) => `Claude Agent SDK 没有恢复文件：${said}`,
    hint: () => "其进程已结束，或没有启动。请运行 claude --version 查看它的说明，然后再试一次。",
  },
  "sdk-rewind-slow": {
    message: ({ seconds }) => `Claude Agent SDK 在 ${seconds} 秒内没有恢复文件，已被终止。`,
    hint: () => "请再试一次；如果机器很忙，请稍后再试。",
  },

  "claude-empty-reply": { message: () => "Claude 的回复为空：没有文本，也没有工具调用。" },
  "claude-declined": {
    message: () => "Claude 拒绝回答：其内容过滤器中止了回复。",
    hint: (_, { command }) => `请换一种说法，或用 \`${command({ do: "rewind" })}\` 回到它之前。`,
  },
  "claude-context-too-long": {
    message: ({ said }) => `上下文对 Claude 来说太长：${said}`,
    hint: (_, { command }) => `请用 \`${command({ do: "compact" })}\` 压缩，或选择窗口更大的模型。`,
  },
  "claude-reply-limit": {
    message: ({ tokens }) =>
      `Claude 一再达到回复的上限${tokens === undefined ? "" : `（${tokens} 个 token）`}。`,
    hint: () => "请每次少要求一些，或设置 CLAUDE_CODE_MAX_OUTPUT_TOKENS。",
  },
  "claude-out-of-money": {
    message: ({ status, said }) => `Claude 拒绝了请求${inBrackets(status)}：${said}`,
    hint: () => "在提供方处的账户余额或配额已用完。",
  },
  "claude-no-key": {
    message: () => "没有 Claude 的密钥，也没有登录。",
    hint: (_, { command }) => keyHint(command({ do: "setup" })),
  },
  "claude-key-unsendable": {
    message: () => "Claude 的密钥含有密钥中不会有的字符。",
    hint: (_, { command }) => keyHint(command({ do: "setup" })),
  },
  "claude-login-expired": {
    message: ({ status }) => `Claude 的登录已过期${inBrackets(status)}。`,
    hint: (_, { command }) => keyHint(command({ do: "setup" })),
  },
  "claude-key-refused": {
    message: ({ status, said }) =>
      `Claude 不接受该密钥或登录${inBrackets(status)}${said === undefined ? "。" : `：${said}`}`,
    hint: (_, { command }) => keyHint(command({ do: "setup" })),
  },
  "claude-busy": { message: ({ said }) => `Claude 繁忙：${said}` },
  "claude-busy-with": { message: ({ status }) => `Claude 繁忙（状态码 ${status}）。` },
  "claude-proxy-wants-password": {
    message: () => "代理要求身份验证（状态码 407）。",
    hint: () => "请在代理变量中写入用户名和密码，或把该地址加入 NO_PROXY。",
  },
  "claude-model-refused": {
    message: ({ model, status }) =>
      `${model === undefined ? "该模型" : `模型 ${model} `}未知，或未对此账户开放${inBrackets(status)}。`,
    hint: () => "请用 --model 选择另一个。如果设置了 ANTHROPIC_BASE_URL，也请检查该地址。",
  },
  "claude-failed": { message: ({ said }) => (said === "" ? "Claude 失败。" : `Claude 失败：${said}`) },
  "claude-failed-with": {
    message: ({ status, said }) => `Claude 失败，状态码 ${status}${said === undefined ? "。" : `：${said}`}`,
  },
  "claude-refused": { message: ({ status, said }) => `Claude 拒绝了请求（状态码 ${status}）：${said}` },
  "claude-stream-cut": { message: () => "Claude 的输出流在回复完整之前中断。" },
  "claude-stream-slow": {
    message: () => "Claude 的输出流中断：没有及时收到内容。",
    hint: () => "请重试；如果回答需要更长时间，请把 API_TIMEOUT_MS 设为更多毫秒。",
  },
  "claude-connection-cut": { message: () => "与 Claude 的连接失败或中断。" },
  "claude-unreachable": {
    message: ({ because }) => `无法连接 Claude：${unreachable(because)}。`,
    hint: () => "请检查网络、ANTHROPIC_BASE_URL（如果已设置），以及 HTTPS_PROXY 和 NO_PROXY。",
  },
  "claude-proxy-refuses": {
    message: ({ errno }) => `无法连接 Claude：代理拒绝连接（${errno}）。`,
    hint: () => "请更改 HTTPS_PROXY 或 HTTP_PROXY，或把该地址加入 NO_PROXY。",
  },
  "claude-certificate-untrusted": {
    message: ({ errno }) => `无法连接 Claude：其证书不受信任（${errno}）。`,
    hint: () => "如果代理或网关使用自己的证书签名，请在 NODE_EXTRA_CA_CERTS 中指明该证书。",
  },
  "claude-no-server": {
    message: () => "应答的不是 Claude：收到的内容不是模型的回复。",
    hint: () => "请检查 ANTHROPIC_BASE_URL（如果已设置）。也可能是代理，或网络的登录页面。",
  },

  "sdk-session-gone": {
    message: ({ id }) => `Claude Agent SDK 的会话${spaced(id)}已不存在。`,
    hint: () => "请重新发送提示词：之前的对话会告知 SDK 的新会话。",
  },
  "sdk-message-gone": {
    message: ({ id }) => `消息${spaced(id)}已不在 Claude Agent SDK 的会话中。`,
    hint: () => "请重新发送提示词：之前的对话会告知 SDK 的新会话。",
  },
  "sdk-session-in-use": {
    message: ({ id }) => `Claude Agent SDK 的会话${spaced(id)}已在使用中。`,
    hint: () => "请重新发送提示词：它会得到自己的会话。",
  },
  "sdk-not-as-root": {
    message: () => "当 Claude Code 的设置要求不询问任何人时，它不以 root 身份运行。",
    hint: () => "请从 Claude Code 的设置中去掉 bypassPermissions，或以其他用户身份工作。",
  },
  "sdk-settings-invalid": {
    message: ({ id }) => `Claude Code 无法读取${spaced(id)}中的设置：它们不是 JSON。`,
    hint: () => "请修复该文件，或用副本替换：Claude Code 在其旁边的 backups 文件夹中保留了一些。",
  },
  "sdk-program-gone": {
    message: () => "Claude Agent SDK 的程序已不在原处。",
    hint: () => "请重新安装 SDK，不要加 --omit=optional。",
  },
  "sdk-program-unstartable": {
    message: () => "无法启动 Claude Agent SDK 的程序。",
    hint: () => "请查看工作区的文件夹是否还在。如果还在，请为这台机器重新安装 SDK。",
  },
  "sdk-disk-full": {
    message: () => "磁盘已满：Claude Code 无法保存其会话。",
    hint: () => "请在 CLAUDE_CONFIG_DIR 所指之处，或主文件夹所在的磁盘上腾出空间。",
  },
  "sdk-closed": {
    message: () => "Claude Agent SDK 的进程已关闭。",
    hint: () => "请重新发送提示词：这会启动一个新进程。",
  },
  "sdk-turn-unasked": {
    message: () => "Claude Agent SDK 自行开始了没有人要求的一轮，已被终止。",
    hint: () => WHOLE,
  },
  "sdk-killed": {
    message: ({ signal }) => `Claude Code 被 ${signal} 终止。`,
    hint: ({ signal }) => `${WHOLE}${signal === "SIGKILL" ? "这台机器可能内存不足。" : ""}`,
  },
  "sdk-failed": {
    message: ({ said, printed }) => `Claude Agent SDK 失败：${said}${printed && ` ${printed}`}`,
    hint: () => WHOLE,
  },
  "sdk-exited": {
    message: ({ exit, printed }) =>
      `Claude Code 以退出码 ${exit} 结束${printed === "" ? "。" : `：${printed}`}`,
    hint: () => WHOLE,
  },
  "sdk-ended-turn": {
    message: ({ said }) => `Claude Agent SDK 结束了轮次${said === "" ? "。" : `：${said}`}`,
  },
};

const WHOLE = "请重新发送提示词：在它之前的一切都在会话的日志中。";

function keyHint(setup: string): string {
  return `请设置 ANTHROPIC_API_KEY，或用 \`claude\` 登录，或运行 \`${setup}\`。`;
}

function inBrackets(status: number | undefined): string {
  return status === undefined ? "" : `（状态码 ${status}）`;
}

function spaced(text: string | undefined): string {
  return text === undefined ? "" : ` ${text} `;
}

function installCommand(install: SdkInstall, command: CommandText): string {
  const { wanted } = install;
  switch (install.how) {
    case "folder":
      return `npm install --prefix ${install.folder} ${wanted}`;
    case "clone":
      return `npm install --prefix ~/claude-sdk ${wanted}，并指明位置：${command({ do: "config set", key: "claude.sdk", value: "~/claude-sdk" })}`;
    case "global":
      return `npm install -g ${wanted}`;
    case "project":
      return `npm install ${wanted}（在 ${install.project} 中）`;
    default:
      return install satisfies never;
  }
}

function unreachable(because: ClaudeUnreachable): string {
  switch (because.why) {
    case "refused":
      return `那里没有程序在监听（${because.errno}）`;
    case "no-host":
      return `没有这个主机（${because.errno}）`;
    case "no-way":
      return `没有通往该主机的路由（${because.errno}）`;
    case "no-network":
      return `没有网络（${because.errno}）`;
    case "failed":
      return `连接失败（${because.errno}）`;
    case "no-address":
      return "ANTHROPIC_BASE_URL 不是地址";
    default:
      return because satisfies never;
  }
}
