import type { Strings } from "../../strings.ts";

type Help = Strings["help"];

export const program: Help["program"] = {
  description: "会回头的编程智能体：对话、文件和工作状态在同一条时间线上，其中的一切都不会丢失。",
  help: "显示某个命令的帮助",
  helpOption: "显示帮助",
  version: "显示版本",
  examples: {
    worldline: "在此文件夹中打开智能体",
    'worldline -p "why does the build fail?"': "提一个问题，输出答案",
    'worldline checkpoint "before refactoring"': "创建一个可以返回的检查点",
    "worldline ../other-project": "在另一个文件夹中打开智能体",
    "worldline -c": "继续此文件夹中的上一个会话",
    "worldline tree": "画出上一个会话及其所有分支",
    "worldline rewind 12": "回退到检查点 12；什么都不会丢失",
    "worldline config --explain": "显示每项设置及其值的来源",
    "worldline help config": "显示单个命令的帮助",
  },
};

export const common: Help["common"] = {
  json: "向标准输出写一个 JSON 文档",
  session: "要使用的会话：id 或其开头、标题，或执行的 id",
  workspace: "要在其中工作的文件夹（默认：从当前文件夹向上，最近的有会话或 .git 的文件夹）",
  store:
    "会话的存储位置：files、sqlite:~/sessions.db 或 postgres://user@host/database；密码请放在 WORLDLINE_STORE 中，不要写在这里（默认：WORLDLINE_STORE，否则为 files）",
  trust: "信任这个工作区现在的设置",
  setting: "只为本次命令更改一项设置（可重复使用）",
  takeOver:
    "写入被另一台机器或容器锁定的会话，或锁无法读取的会话；只有在没有其他程序使用该会话时才安全，而 Worldline 无法替你确认这一点",
};

export const agent: Help["agent"] = {
  description:
    "在终端中打开智能体。它的工作记录在会话的时间线上，可以回到其中任何一处。使用 -p 或没有终端时，只回答一次就退出：答案写到标准输出，进度写到标准错误；需要许可的调用会被拒绝，除非规则或权限模式允许。",
  arguments: {
    prompt: "要智能体做的事；管道输入会附在后面；只有一个单词的提示前面要加 -p 或 --",
  },
  options: {
    print: "回答一次就退出；提示也可以通过管道传入",
    continue: "继续此工作区中最近使用的智能体会话",
    resume: "按 id、id 的开头或标题继续某个会话（默认：从列表中选择）",
    fork: "与 -c 或 -r 一起：在副本中继续，原会话保持不变",
    model: "模型，写作 provider/name（见 `worldline models`）；宿主为 claude 时，写 Claude 自己的模型名称",
    permissionMode: "智能体不经询问可以做什么",
    allow: "允许符合该规则的调用，例如 'Bash(npm test:*)'（可重复使用）",
    deny: "拒绝符合该规则的调用，即使其他规则允许（可重复使用）",
    host: "要运行的智能体：native，或 claude（即 Claude Agent SDK）（默认：会话原来的宿主，否则为设置 host）",
    maxSteps: "每个轮次最多调用模型的次数",
    noSession: "会话只保存在内存中，不写入磁盘",
    outputFormat: "输出格式；json 是一个文档，stream-json 每个事件一行 JSON",
    listSessions: "等同于 `worldline sessions list`",
  },
  examples: {
    'worldline -p "why does the build fail?"': "得到答案，不改动任何文件",
    "worldline -p \"make the tests pass\" --permission-mode accept-edits --allow 'Bash(npm test:*)'":
      "允许它编辑文件并运行测试",
    'git diff | worldline -p "review this"': "把另一个命令的输出附在提示后面",
    "worldline --host claude": "在同一条时间线上使用 Claude 的智能体和它自己的登录",
    'worldline -c "now the same for the server"': "继续上一个会话",
    'worldline -p "list the TODOs" --output-format json | jq -r .answer': "在脚本中使用答案",
  },
};

export const resume: Help["resume"] = {
  summary: "显示会话停在何处，并继续",
  description:
    "显示会话中哪些已完成、哪些未完成、接下来做什么。如果最后一个轮次被中断，还会显示中断在哪个步骤和哪次工具调用，并让你选择如何继续。除非你选择，否则不会重新执行任何操作。",
  arguments: {
    session: "会话的 id、id 的开头或标题（默认：此工作区中最近使用的智能体会话）",
    prompt: "接下来要做的事，用来代替继续被中断的轮次",
  },
  options: {
    continue: "从最后一个完成的步骤之后继续被中断的轮次",
    retry: "重新执行被中断的步骤；如果提供方出错，最多再重试 recovery.maxRetries 次",
    rewindFiles: "把文件恢复到被中断的步骤之前",
    yes: "与 --rewind-files 一起：不询问确认",
    model: agent.options.model,
    permissionMode: agent.options.permissionMode,
    allow: agent.options.allow,
    deny: agent.options.deny,
    host: agent.options.host,
    maxSteps: agent.options.maxSteps,
    outputFormat: agent.options.outputFormat,
  },
  examples: {
    "worldline resume": "显示上一个会话停在何处，以及如何继续",
    "worldline resume k3f9 --continue": "继续被中断的轮次",
    "worldline resume k3f9 --rewind-files": "撤销被中断的步骤对文件的改动",
    'worldline resume k3f9 "leave that, fix the tests"': "让智能体改做别的事",
  },
};

export const models: Help["models"] = {
  summary: "列出可用的模型，以及其他模型不可用的原因",
  description:
    "列出每个提供方及其已知的模型，能否使用，以及不能使用的原因。只会询问本机上的模型服务器有哪些模型，不会联系其他服务器。",
  examples: {
    "worldline models": "列出所有提供方和模型",
    "worldline models --json | jq -r '.providers[] | select(.usable == \"yes\") | .name'":
      "输出可用的提供方名称",
  },
};

export const setup: Help["setup"] = {
  summary: "测试并保存提供方的 API 密钥",
  description:
    "从管道或不回显的输入读取提供方的 API 密钥，用一次很小的调用测试它，然后保存到只有你能读取的文件中。环境变量中的密钥优先于保存的密钥。",
  arguments: {
    provider: "密钥所属的提供方，例如 anthropic（默认：从列表中选择）；可用 `worldline models` 查看",
  },
  options: {
    model: "用来测试密钥的模型（默认：该提供方的默认模型）",
    withoutTest: "不测试就保存密钥，例如离线时",
    remove: "删除保存的密钥",
  },
  examples: {
    "worldline setup anthropic": "询问密钥并测试",
    "pass show openai | worldline setup openai": "从密码管理器读取密钥",
    "worldline setup anthropic --remove": "删除保存的密钥",
  },
};
