import { stats as english } from "../en/agent.ts";
import type { Strings } from "../strings.ts";
import { outcomeCounts, spaced, whole } from "./measures.ts";

const reasons = {
  asked: "应你的要求",
  full: "上下文将满",
  "too-long": "提供方表示太长",
};

const scopes = { both: "文件和对话", conversation: "对话", files: "文件" };

const place = (to: number | undefined) => (to === undefined ? "" : `到 #${to}`);

export const agent: Strings["agent"] = {
  mcpUntrusted: (file) =>
    `${file} 尚未受信任，因此没有启动其中的服务器。先看看它会启动什么，然后：worldline config trust`,
  mcpTrouble: (message) => `${spaced(message)}请检查 .mcp.json 中该服务器的条目；没有它，其他功能仍可使用。`,
  unusedInstructions: {
    link: (file) => `${file} 是链接，可能指向任何地方，因此智能体不读取它。请换成文件。`,
    "no-file": (file) => `${file} 不是文件，因此智能体不读取它。`,
    unreadable: (file) => `${file} 无法读取，智能体将在没有它的情况下工作。`,
    cut: (file) => `${file} 太长，智能体只读取开头的 40,000 个字符。`,
  },
  silentPipe: (waitedMs) =>
    `标准输入在 ${waitedMs / 1_000} 秒内没有内容，不再等待。如果本来就没有内容，请加上 < /dev/null。`,
  resumed: (session) => `继续会话 ${session}`,
  forked: (session) => `在副本中继续，会话 ${session}`,
  tool: (name, about) => (about === "" ? name : `${name} ${about}`),
  earlierCall: "之前的一次调用",
  toolFailed: (name, why) => `${name} 失败：${why}`,
  toolDenied: (name, why) => `${name} 被拒绝：${why}`,
  toolInterrupted: (name) => `${name} 被中断`,
  retry: ({ attempt, of, waitMs, message }) =>
    `${Math.ceil(waitMs / 1_000)} 秒后重试（${attempt}/${of}）：${message}`,
  waitingForCapture: "等待工作区的文件捕获完成",
  backtracked: ({ to, entries, tokens }) =>
    `已回溯到 #${to}：离开 ${whole(entries)} 个条目，约 ${whole(tokens)} 个 token`,
  backtrackedTo: (prompt) => `  回到：${prompt}`,
  backtrackedBecause: (why) => `  原因：${why}`,
  backtrackRestored: (counts) => `  文件：${outcomeCounts(counts)}`,
  journeys: {
    rewind: (scope, to) => `已回退${scopes[scope]}${place(to)}`,
    redo: (scope, to) => `已重做${scopes[scope]}${place(to)}`,
  },
  compacted: ({ before, after, reason }) =>
    `已压缩（${reasons[reason]}）：约 ${whole(before)} 个 token 变为 ${whole(after)}`,
  notCompacted: (why) => `未压缩：${why}`,
  files: (count) => `改动了 ${whole(count)} 个文件：`,
  changes: { created: "新建", changed: "改动", deleted: "删除" },
  lines: (added, removed) => `+${added} -${removed}`,
  moreFiles: (count) => `还有 ${count} 个`,
  denied: (count) => `这里无人可问，因此拒绝了 ${whole(count)} 次调用`,
  interrupting: "正在中断；再按一次 Ctrl-C 立即停止",
  interrupted: "已中断。目前为止完成的都已保留。",
  resumeWith: (command) => `要继续：${command}`,
  chooseSession: "哪个会话？",
};

export const compact: Strings["compact"] = {
  asking: (model) => `${model} 正在写摘要`,
  done: (before, after, model) =>
    `已压缩：${whole(before)} -> ${whole(after)} 个 token，摘要由 ${model} 撰写。`,
  nothingLost: "什么都没有丢失：worldline log 可以查看全部，回退可以找回。",
  wouldSummarise: (entries, count) =>
    `将用一份摘要代替 ${whole(entries)} 个条目，约 ${whole(count)} 个 token。`,
  wouldKeep: (exchanges, entries) =>
    `原样保留：最近 ${whole(exchanges)} 次往来（${whole(entries)} 个条目）。`,
  wouldPin: (prompt) => `同样保留：提示“${prompt}”`,
  dryRun: "什么都没有改变。",
};

export const hosts: Strings["hosts"] = {
  claudeUntrusted:
    "这个工作区尚未受信任，因此 Claude 不会读取它的 CLAUDE.md，也不会读取 .claude 和 .mcp.json 的内容。请先查看它们，然后：worldline config trust",
  claudeNewer: (version, known, wanted) =>
    `Claude Agent SDK ${version} 比 Worldline 所知的版本（${known}）更新；如果不能正常工作：npm install ${wanted}`,
  claudeKeepsItsOwn:
    "--no-session：Worldline 不保存任何内容，但 Claude Agent SDK 会在自己的文件夹（CLAUDE_CONFIG_DIR，否则为 ~/.claude）中保存对话记录。",
  checkpointing: {
    engineWithoutSdk:
      'snapshots.engine 为 "sdk"，只有宿主 claude 才有；这里使用 Worldline 自己的快照。' +
      "不想再看到此提示：worldline config set snapshots.engine worldline",
    engineAndVariable: (variable) =>
      `snapshots.engine 为 "sdk"，但 ${variable} 要求 Claude Agent SDK 不保存文件检查点；以设置为准，它会保存。` +
      `请取消 ${variable}，或：worldline config set snapshots.engine worldline`,
    engineAndSetting:
      'snapshots.engine 为 "sdk"，但 enableFileCheckpointing 为 false；Worldline 不捕获文件，回退文件时只有 Claude Agent SDK ' +
      "的检查点可用。两者都要：worldline config set enableFileCheckpointing true",
    variableAndSetting: (variable) =>
      `${variable} 已开启，但 enableFileCheckpointing 为 false；Claude Agent SDK 会保存它的检查点，Worldline 不捕获文件，` +
      "回退文件会得到“Checkpoint feature not enabled”。用 Worldline 回退：worldline config set enableFileCheckpointing true；" +
      "用 SDK 的检查点回退：worldline config set snapshots.engine sdk",
    bothVariables: (enable, disable) =>
      `${enable} 和 ${disable} 同时开启；以后者为准，Claude Agent SDK 不保存自己的文件检查点。请取消其中一个。`,
    notUnderstood: (variable, value) =>
      `${variable} 为“${value}”，既不是开也不是关，已忽略。请设为 1 或 0，或取消它。`,
  },
  sdkReady: (version, folder) => `Claude Agent SDK ${version} 位于 ${folder}`,
  sdkUnknown: (version, folder) => `Claude Agent SDK ${version} 位于 ${folder}；Worldline 不了解这个版本。`,
  claudeAnswers: "宿主为 claude：它使用 Claude Code 的登录或 ANTHROPIC_API_KEY，不需要提供方的密钥。",
  keepAnyway: "仍要为它保存密钥：worldline setup anthropic",
};

export const models: Strings["models"] = {
  usable: { yes: "可用", no: "不可用" },
  chosen: (model, window) => `不加 --model 时：${model}，窗口为 ${whole(window)} 个 token`,
  assumed: "（假定值；可用设置 models 指定）",
  ofSetting: (setting, place) => `设置 ${setting} 指定的模型（${place}）不可用`,
  noSummariser: (why, hint) => `${why} 改由主模型写摘要。${hint}`,
  noneChosen: (why) => `不加 --model 时：无。${why}`,
  more: (count) => `还有 ${count} 个`,
  finder: "不需要密钥和网络；找出是什么让测试失败。",
};

export const setup: Strings["setup"] = {
  whichProvider: "这是哪个提供方的密钥？",
  keyQuestion: (provider) => `${provider} 的密钥（不会显示）：`,
  testing: (model) => `正在请 ${model} 回答一个词`,
  kept: (provider, file) => `${provider} 的密钥保存在 ${file}`,
  works: (model) => `可以使用：${model} 已回答。`,
  notTested: "没有试用。",
  removed: (provider, file) => `${provider} 的密钥已从 ${file} 中移除。`,
  wasNotKept: (provider) => `没有保存过 ${provider} 的密钥。`,
  noKeyNeeded: (provider) => `${provider} 不需要密钥。`,
  withoutKey: (model, does) => `不需要任何密钥：--model ${model}。${does}`,
  environmentWins: (variable) => `已设置 ${variable}，它优先于保存的密钥。`,
};

export const recap: Strings["recap"] = {
  fields: { asked: "要求", done: "已完成", open: "未完成", next: "下一步", elsewhere: "别处" },
  answered: (text) => `已回答：${text}`,
  todosDone: (todos) => `待办：${todos}`,
  filesChanged: (paths) => `改动：${paths}`,
  commandsRun: (commands) => `运行：${commands}`,
  outcomes: {
    ok: "",
    error: "（失败）",
    denied: "（未获允许）",
    interrupted: "（被中断）",
  },
  more: (count) => `还有 ${whole(count)} 项`,
  nothingDone: "还没有",
  nothingOpen: "没有",
  todo: { open: (text) => text, doing: (text) => `${text}（已开始）` },
  cut: {
    "before-first-step": "最后一条提示没有得到回答：还没有询问模型",
    replying: (step) => `在步骤 #${step} 中断，当时模型正在回复`,
    tools: (step) => `在步骤 #${step} 中断，当时工具正在运行`,
  },
  failed: (step) => (step === 0 ? "最后一条提示没有得到回答：轮次失败" : `轮次在步骤 #${step} 失败`),
  commandCut: (command) => `程序结束时 ${command} 仍在运行：不知道执行到了哪里`,
  by: {
    person: "由你中断",
    crash: "程序意外结束",
    limit: "已达步骤上限",
    unknown: "",
  },
  leftBy: (name, pid, host) => `当时处理它的是 ${name}（${host} 上的进程 ${pid}），它没有交还会话`,
  because: (why) => `原因：${why}`,
  openCall: (name, about) =>
    `${[name, about].filter((text) => text !== "").join(" ")} 已开始但未结束，是否生效未知`,
  unstarted: (count) => `另有 ${whole(count)} 次调用尚未开始`,
  finished: (count) => `这一步骤有 ${whole(count)} 次调用已结束`,
  answer: (prompt) => `回答提示“${prompt}”`,
  nothingNext: "等待你的下一条提示",
  elsewhere: (machine, checkpoints) =>
    `${checkpoints} 的文件只在 ${machine} 上：在这里回退到那些检查点时只回退对话`,
};

export const resume: Strings["resume"] = {
  session: (name) => `会话 ${name}`,
  workedOn: (owner) => `${spaced(owner)}正在处理它。请等它结束，或在那边中断它。`,
  lease: (until) => `它的租约到 ${until} 为止，运行期间会不断续租；如果它已经死亡，此后会话即可接管。`,
  copy: (command) => `或在副本中继续：${command}`,
  ended: (commands) => `已结束被终止的运行留下的命令：${commands.join("；")}`,
  choices: "要继续：",
  choice: {
    continue: "从最后一个完好的步骤继续",
    retry: "重新执行中断的步骤",
    rewindFiles: "把文件回退到中断的步骤之前",
    prompt: "说明接下来做什么",
  },
  question: "[c] 继续，[r] 重新执行该步骤，[f] 回退文件，或保持原样（默认保持原样）？ ",
  retrying: ({ attempt, of, waitMs, message }) =>
    `${waitMs / 1_000} 秒后重新执行该步骤，第 ${attempt} 次，共 ${of} 次：${message}`,
  notUnderstood: (typed) => `“${typed}”不是 c、r、f 之一。`,
};

export const stats: Strings["stats"] = {
  fields: {
    sessions: "会话",
    prompts: "提示",
    steps: "步骤",
    replies: "回复",
    tokens: "token",
    cache: "缓存",
    cost: "费用",
    tools: "工具调用",
    backtracks: "回溯",
    saved: "节省",
    journeys: "回退",
    compactions: "压缩",
  },
  replies: (count, models) => (models === "" ? whole(count) : `${whole(count)}（${models}）`),
  ofModel: (model, count) => `${model}：${whole(count)}`,
  tokens: (input, output) => `输入 ${whole(input)}，输出 ${whole(output)}`,
  uncounted: (count) => `不含 ${whole(count)} 条提供方没有计数的回复`,
  cache: (read, written, rate) =>
    `读取 ${whole(read)}，写入 ${whole(written)}：发送内容的 ${Math.round(100 * rate)}% 来自缓存`,
  nothingCounted: "提供方还没有任何计数",
  dollars: english.dollars,
  priceUnknown: (models) => `未知：没有 ${models} 的价格（可用设置 models 指定）`,
  withoutPrice: (cost, models) => `${cost}，不含 ${models}，其价格未知（可用设置 models 指定）`,
  tool: (calls, troubles) => [whole(calls), ...troubles].join("，"),
  failed: (count) => `失败 ${whole(count)}`,
  denied: (count) => `被拒绝 ${whole(count)}`,
  interrupted: (count) => `被中断 ${whole(count)}`,
  backtracks: (count, entries, tokens) =>
    count === 0 ? "0" : `${whole(count)}：离开 ${whole(entries)} 个条目、${whole(tokens)} 个 token`,
  saved: (tokens, cost) => `约 ${whole(tokens)} 个 token${cost === undefined ? "" : `，${cost}`}：估计值`,
  savedBasis:
    "token 数：回溯移出上下文的内容，只计一次；金额：此后的请求若继续携带这些内容要多付的费用，按缓存 token 的价格计算。两者都不代表不回溯时工作会怎样。",
  journeys: (rewinds, redos) => (redos === 0 ? whole(rewinds) : `${whole(rewinds)}，重做 ${whole(redos)}`),
  compactions: (count, before, after) =>
    count === 0 ? "0" : `${whole(count)}：${whole(before)} -> ${whole(after)} 个 token`,
};
