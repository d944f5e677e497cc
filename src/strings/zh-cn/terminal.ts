import type { Strings } from "../strings.ts";
import { dialogs } from "./dialogs.ts";
import { outcomesSeen } from "./measures.ts";

/** The mode as the status line names it; what is typed for it stays English. */
export function modeName(mode: string): string {
  return Object.entries(screen.status.modes).find(([typed]) => typed === mode)?.[1] ?? mode;
}

const screen: Strings["terminal"]["screen"] = {
  opening: "正在打开会话",
  starting: "启动中",
  leaving: "正在关闭：整理已捕获的内容",
  took: (text) => `已用 ${text}`,
  seconds: (count) => `${count} 秒`,
  minutes: (minutes, seconds) => `${minutes} 分 ${seconds} 秒`,
  doing: {
    thinking: "思考中",
    tool: (name, about) => (about === "" ? name : `${name} ${about}`),
    asking: "等待你的回答",
    capturing: (progress) => `正在捕获文件${progress}`,
    waiting: (progress) => `等待首次捕获${progress}，Ctrl+P 跳过`,
    compacting: "正在压缩对话",
    working: "工作中",
    files: (files, ofFiles) => `（${files}/${ofFiles}）`,
  },
  controlCStops: "Ctrl+C 停止",
  escStops: "Esc 停止",
  queued: (text) => `排队中：${text}`,
  hints: {
    leave: "再按一次 Ctrl+C 退出",
    leaveByD: "再按一次 Ctrl+D 退出",
    clear: "再按一次 Esc 清空输入（历史中仍会保留）",
    rewind: "再按一次 Esc 回退",
    hurry: "按 Ctrl+C 立即退出",
    stopping: "正在停止",
    scrolled: (lines) => `下方还有 ${lines} 行，按 End 到末尾`,
  },
  placeholder: "要做什么？! 命令，/ 更多，? 按键",
  placeholderFirst: "! 命令，/ 更多，? 按键，或按上面的数字",
  placeholderWithoutModel: "! 命令，/ 更多，? 按键，5↵ 连接模型",
  status: {
    noModel: "无模型",
    host: (name) => `宿主 ${name}`,
    modes: { manual: "手动", "accept-edits": "自动接受编辑", plan: "计划", auto: "自动" },
    context: (percent) => `上下文 ${percent}%`,
    tokens: (count) => `上下文 ${count}`,
    cost: (dollars) => `$${dollars}`,
    checkpoint: (number) => `#${number}`,
    branch: (name) => name,
    branchesLeft: (count) => `离开的分支 ${count}`,
    saved: (count) => `回溯节省 ${count} token`,
    savedShort: (count) => `节省 ${count}`,
    snapshots: {
      on: "文件已捕获",
      capturing: "捕获文件中",
      partial: "文件部分捕获",
      failed: "文件未捕获",
      off: "文件捕获关闭",
    },
  },
  todos: {
    title: (done, of) => `待办 ${done}/${of}`,
    none: "没有待办。",
  },
  heading: "Worldline",
  resumed: (title) => `会话：${title}`,
  withoutModel: {
    title: "还没有模型。除模型对话外，其余都能用。",
    lookedFor: (what) => `已查找：${what}`,
    steps: {
      sample: "找出弄坏示例项目的改动（查找器）",
      playground: "亲手弄坏点什么，再回退",
      folder: "在你自己的文件夹里试试回退",
      sessions: "打开本机上找到的会话",
      connect: "连接模型",
    },
    working: "! 命令、/tree、/diff 和 Esc Esc 现在就能用。",
    freeText: "还没有连接模型，无法回答。输入 5 再按 Enter 连接模型；! 运行命令。",
    whichFolder: "哪个文件夹？",
    stopped: "已停止。",
    more: "在这里输入 1 到 5 再按 Enter，同样可以执行首屏的各个步骤。",
    finding: "正在查找弄坏示例的改动",
    playgroundOpened: (folder) =>
      `这是一个供你弄坏的小项目：${folder}。试试：!rm -r src，然后按 Esc Esc 把文件找回来。`,
    folderOpened: (folder) => `已打开 ${folder}。从现在起，每条 ! 命令和每条提示都可以撤回。`,
  },
  queueReturned: "排队的消息已放回输入框。",
  promptBack: "已停止，当时还没有任何输出；你的提示已放回输入框。",
  modeNow: (mode) => `权限模式：${mode}`,
  stepLimit: "本轮已到步数上限。请说明如何继续，或直接说“继续”。",
  unexpected: (message) => `出现意外错误：${message}`,
  noImage: "剪贴板里没有图片，或此处无法读取。也可以粘贴图片文件的路径。",
  tooSmall: "窗口太小，无法显示 Worldline。",
};

const station: Strings["terminal"]["station"] = {
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

const editor: Strings["terminal"]["editor"] = {
  modes: {
    shell: "命令：输出会进入对话",
    "shell-untold": "命令：不告诉模型",
  },
  linesAbove: (count) => `上方还有 ${count} 行`,
  linesBelow: (count) => `下方还有 ${count} 行`,
  search: {
    title: "历史：",
    found: (chosen, of) => `第 ${chosen} 条，共 ${of} 条；Ctrl+R 更早，Enter 取用`,
    none: "没有输入过类似内容",
  },
};

const whole = (count: number): string => count.toLocaleString("en");

const commands: Strings["terminal"]["commands"] = {
  groups: {
    travel: "回退与重做",
    sessions: "会话",
    looking: "查看",
    agent: "智能体",
    settings: "设置",
    program: "Worldline",
  },
  descriptions: {
    undo: "撤回最近一条或 n 条提示或 ! 命令：文件与对话",
    redo: "重做上一次回退；list 列出全部跳转",
    rewind: "选择要回退到的检查点（编号、session:number 或标签）；save 在此处新建一个",
    label: "给检查点加标签",
    diff: "某个检查点以来的改动，或两个检查点之间的改动",
    tree: "整个会话树，含已离开的分支",
    resume: "继续另一个会话",
    fork: "在本会话的副本中继续",
    title: "给本会话命名",
    save: "给此处起名保存：会话标题加一个检查点",
    delete: "把会话移到回收站",
    clear: "开始新会话；当前会话保留",
    export: "把本会话写入文件",
    context: "上下文窗口被什么占用",
    stats: "token、费用、调用次数，以及回溯省下了多少",
    status: "当前状况：会话、模型、检查点、文件",
    todos: "智能体的待办事项",
    doctor: "检查设置、存储与本机环境",
    compact: "压缩对话；可说明重点",
    loadContext: "把文件内容加入对话；不带路径则载入当前的 AGENTS.md",
    verbose: "完整显示思考、工具输出和通知；off 关闭",
    quiet: "只显示对话内容，每次工具调用一行；off 关闭",
    init: "为此工作区编写 AGENTS.md",
    model: "选择模型",
    permissions: "规则与模式：什么要询问，什么不用",
    config: "查看和修改设置",
    language: "英文或中文",
    setup: "连接模型",
    help: "命令与按键",
    exit: "退出；会话以后可以继续",
  },
  help: {
    title: "帮助",
    commands: "命令",
    keys: "按键",
    also: (names) => `也可用 ${names}`,
  },
  unknown: (name) => `没有 /${name} 这个命令。/help 列出全部命令。`,
  unknownButClose: (name, close) => `没有 /${name} 这个命令。是不是想用 /${close}？`,
  interruptFirst: (name) => `/${name} 要等本轮结束后才能用。可先按 Esc 中断。`,
  takesNothing: (name) => `/${name} 不带参数。`,
  undoCount: (typed) => `/undo 的参数是要撤回的提示或 ! 命令的条数，至少为 1；不能是“${typed}”。`,
  rewindWords: (typed) =>
    `这里没有检查点“${typed}”。/rewind 打开列表，/checkpoint save [标签] 在此处新建检查点。`,
  languages: (typed) => `不支持语言“${typed}”。可选：en、zh-CN`,
  formats: (typed) => `不支持格式“${typed}”。可选：markdown、json、bundle，后面可跟文件名`,
  exporting: "正在把会话写入文件",
  exported: (file) => `已写入：${file}`,
  replaceQuestion: (file) => `${file} 已存在。要替换吗？`,
  replace: { yes: "是，替换", no: "否，保留" },
  titleNow: (title) => `本会话的标题：${title}。用 /title <文字> 改名。`,
  noTitle: "本会话没有标题。用 /title <文字> 命名。",
  forking: "正在复制会话",
  forked: (session) => `现在位于副本中；会话 ${session} 保持原样。`,
  beginning: "正在开始新会话",
  begun: (session) => `新会话。之前的会话已保留：/resume ${session}`,
  begunAnew: "已开始新会话。之前的会话里什么都没做，因此没有保留。",
  noSession: (wanted) => `没有名为“${wanted}”或以它开头的会话。/resume 列出全部会话。`,
  severalSessions: (wanted, ids) => `有多个会话以 ${wanted} 开头：${ids}`,
  notTheOneHere: "不能删除当前打开的会话。请先用 /clear 开始另一个。",
  noTodos: "智能体没有待办事项。",
  asking: (what) => `正在查询 ${what}`,
  closeKeys: "按任意键关闭",
  contextOf: (used, window) => `${whole(used)} / ${whole(window)} 个 token`,
  contextUsed: (used) => `${whole(used)} 个 token`,
  status: {
    session: "会话",
    title: "标题",
    workspace: "工作区",
    model: "模型",
    mode: "权限",
    checkpoint: "检查点",
    branches: "已离开的分支",
    git: "git 分支",
    context: "上下文",
    cost: "费用",
    saved: "回溯省下",
    redoable: "可重做",
    files: "文件",
  },
  none: "无",
  cost: (dollars) => `$${dollars.toFixed(2)}`,
  savedTokens: (count) => `约 ${whole(count)} 个 token`,
  journeys: (count) => `${whole(count)} 次`,
  snapshots: {
    on: "已捕获",
    capturing: "正在捕获",
    partial: (why) => `部分捕获：${why}`,
    failed: (why) => `未捕获：${why}`,
    off: (why) => `未捕获：${why}`,
  },
  permissionsMode: (mode) =>
    `模式：${modeName(mode)}（${mode}）。Shift+Tab 在手动、自动接受编辑、计划之间切换；自动模式要写出名称：/permissions auto。`,
  permissionLists: {
    allow: "规则允许",
    ask: "规则要求询问",
    deny: "规则拒绝",
    granted: "本会话内允许",
  },
  noRules: "没有规则。可用设置 permissions 添加。",
  modes: {
    manual: "凡有改动都询问",
    "accept-edits": "工作区内的编辑不询问",
    plan: "批准计划之前不做任何改动",
    auto: "命令、工作区内的编辑和网络访问都不询问；每个会话要确认一次",
  },
  modeUnknown: (typed) => `没有“${typed}”这个模式。可选：manual、accept-edits、plan、auto`,
  settingUnknown: (key) => `没有名为 ${key} 的设置。/config 列出全部设置。`,
  setting: (key, value, source) => `${key} = ${value}（${source}）`,
  configUsage: "请输入 /config set <设置项> <值>，或 /config get <设置项>。",
  settingSetNow: (key, value) => `已设置：${key} = ${value}。立即生效。`,
  settingSetLater: (key, value) =>
    `已设置：${key} = ${value}。在打开会话时生效：/clear、/resume 或下次启动。`,
  settingOverridden: (key, value, source) => `已写入你的设置，但 ${key} 仍为 ${value}：被 ${source} 覆盖。`,
  detail: {
    verbose: "详细模式：完整显示思考、工具输出和通知。/verbose off 关闭。",
    quiet: "安静模式：只显示对话内容、每次工具调用一行以及出错信息。/quiet off 关闭。",
    normal: "已恢复默认的显示详细程度。",
    usage: (name) => `/${name} 后面只能是 on 或 off。`,
  },
  loading: "正在载入文件",
  loaded: (file, tokens) =>
    `已载入 ${file}（约 ${whole(tokens)} 个 token）。模型会在你的下一条提示中看到它；/undo 可撤回。`,
  initPrompt:
    "请查看此工作区，并在其顶层编写 AGENTS.md，供之后在这里工作的编码智能体使用。尽量简短地写明：项目是什么；如何构建、检查与测试" +
    "（给出确切命令，在安全的前提下先试运行）；各部分在哪里；代码体现出的风格规则。一眼可见的内容不必写。如果已有 AGENTS.md，" +
    "则改为修正并精简它。",
  initThere: "已有 AGENTS.md。连接模型后，/init 会改进它。",
  initQuestion: "没有模型可以编写 AGENTS.md。是否写入一个待填写的骨架？",
  initYes: "是，写入骨架",
  initNo: "否",
  initWriting: "正在写入 AGENTS.md",
  initWritten: "AGENTS.md 已写入，请自行填写。/undo 可撤回。",
  initSkeleton: [
    "# 智能体须知",
    "",
    "## 项目简介",
    "",
    "## 命令",
    "构建：",
    "测试：",
    "",
    "## 目录",
    "",
    "## 规则",
  ],
};

const scopes = { both: "文件和对话", conversation: "对话", files: "文件" };

const reasons = { asked: "手动", full: "上下文将满", "too-long": "提供方称内容过长" };

const number = (count: number): string => count.toLocaleString("en");

export const transcript: Strings["terminal"]["transcript"] = {
  images: (count) => `${number(count)} 张图片`,
  thinking: "思考中",
  thought: "思考",
  calls: {
    asked: "等待中",
    running: "运行中",
    ok: "完成",
    error: "失败",
    denied: "已拒绝",
    interrupted: "已中断",
  },
  milliseconds: (count) => `${count} 毫秒`,
  seconds: (count) => `${count} 秒`,
  minutes: (minutes, seconds) => `${minutes} 分 ${seconds} 秒`,
  lines: (count) => `${number(count)} 行`,
  moreLines: (count) => `还有 ${number(count)} 行`,
  linesBefore: (count) => `前面还有 ${number(count)} 行`,
  linesBeforeAtLeast: (count) => `前面至少还有 ${number(count)} 行`,
  more: (count) => `另外 ${number(count)} 个`,
  card: {
    title: (to) => `已回溯到 #${to}`,
    left: (entries, tokens) => `离开 ${number(entries)} 个条目，约 ${number(tokens)} 个 token`,
    prompt: (prompt) => `回到：${prompt}`,
    rationale: (why) => `原因：${why}`,
    note: "给自己的备注：",
    undo: "撤销这次回溯：/redo list",
  },
  left: {
    before: { backtrack: "回溯之前的内容", redo: "重做之前的内容" },
    calls: (count) => `${number(count)} 次工具调用`,
    messages: (count) => `${number(count)} 条消息`,
    keys: { folded: "Ctrl+O 展开", unfolded: "Ctrl+O 收起" },
  },
  restored: (counts) => {
    const seen = outcomesSeen(counts).map(
      ([value, what]) => `${what} ${number(value)} 个${what === "恢复" ? "路径" : ""}`,
    );
    return seen.length === 0 ? "没有路径恢复" : seen.join("，");
  },
  rewound: (scope, to) => `已将${scopes[scope]}回退到 #${to}`,
  redone: (scope) => `已重做：${scopes[scope]}`,
  outcomes: {
    restored: "已恢复",
    created: "已新建",
    removed: "已移除",
    merged: "已合并",
    kept: "已保留",
    "not-restorable": "无法恢复",
    "parent-changed": "所在文件夹已被替换",
    failed: "失败",
  },
  compacted: (reason, before, after) =>
    `已压缩：约 ${number(before)} 个 token${after === undefined ? "" : ` 减为 ${number(after)} 个`}（${reasons[reason]}）`,
  notCompacted: (why) => `未压缩：${why}`,
  interrupts: {
    person: "已中断，此前的成果均已保留。",
    crash: "程序在此处意外结束，本轮未完成。",
    limit: "已停止：本轮达到步骤上限。",
  },
  retry: ({ attempt, of, waitMs, checkpoint, message }) =>
    `正在从最近的检查点（#${checkpoint}）恢复，第 ${attempt}/${of} 次，` +
    `${Math.ceil(waitMs / 1_000)} 秒后重试：${message}`,
  times: (message, times) => (times === 1 ? message : `${message}（已尝试 ${times} 次）`),
  goOn: "已完成的内容均已保留。发送“继续”可从此处重试，/model 可更换模型。",
  replyCut: "回复被截断：已达到模型允许的最大长度。",
  title: (title) => `标题：${title}`,
  label: (label, checkpoint) => {
    const of = checkpoint === undefined ? "" : `#${checkpoint} 的`;
    return label === "" ? `${of}标签已移除` : `${of}标签：${label}`;
  },
  files: {
    changed: (count) => `${number(count)} 个文件已更改`,
    list: (count) => `${number(count)} 个文件已更改：`,
    created: "新建",
    deleted: "已删除",
  },
  todos: (done, of) => `待办：已完成 ${done}/${of}`,
};

export const terminal: Strings["terminal"] = { commands, dialogs, editor, screen, station, transcript };
