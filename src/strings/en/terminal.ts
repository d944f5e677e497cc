import { dialogs } from "./dialogs.ts";
import { type CountsTold, counted, outcomesSeen } from "./measures.ts";

/** Strings shown around the conversation: the activity line, the status line, hints, and the first screen. */
const screen = {
  opening: "Opening the session",
  starting: "starting",
  leaving: "Closing and cleaning up",
  took: (text: string) => `after ${text}`,
  seconds: (count: number) => `${count} s`,
  minutes: (minutes: number, seconds: number) => `${minutes} min ${seconds} s`,
  doing: {
    thinking: "Thinking",
    tool: (name: string, about: string) => (about === "" ? name : `${name} ${about}`),
    asking: "Waiting for your answer",
    capturing: (progress: string) => `Capturing the files${progress}`,
    waiting: (progress: string) => `Waiting for the first capture${progress} · Ctrl+P skip`,
    compacting: "Compacting the conversation",
    working: "Working",
    files: (files: number, ofFiles: number) => ` (${files} of ${ofFiles})`,
  },
  controlCStops: "Ctrl+C stops",
  escStops: "Esc stops",
  queued: (text: string) => `queued: ${text}`,
  hints: {
    leave: "Press Ctrl+C again to quit",
    leaveByD: "Press Ctrl+D again to quit",
    clear: "Press Esc again to clear the input (it stays in the history)",
    rewind: "Press Esc again to rewind",
    hurry: "Press Ctrl+C to quit now",
    stopping: "Stopping",
    scrolled: (lines: number) => `${lines} more lines below · End`,
  },
  placeholder: "Ask anything · ! shell · / commands · ? shortcuts",
  placeholderFirst: "! shell · / commands · ? shortcuts · or a number from above",
  placeholderWithoutModel: "! shell · / commands · ? shortcuts · 5 Enter connects a model",
  status: {
    noModel: "no model",
    host: (name: string) => `host ${name}`,
    modes: { manual: "manual", "accept-edits": "accept edits", plan: "plan", auto: "auto" },
    context: (percent: number) => `${percent}% context`,
    tokens: (count: string) => `${count} context`,
    cost: (dollars: string) => `$${dollars}`,
    checkpoint: (number: number) => `#${number}`,
    branch: (name: string) => name,
    branchesLeft: (count: number) => (count === 1 ? "1 other branch" : `${count} other branches`),
    saved: (count: string) => `${count} tokens saved by backtracks`,
    savedShort: (count: string) => `${count} saved`,
    snapshots: {
      on: "files captured",
      capturing: "capturing files",
      partial: "files partly captured",
      failed: "files not captured",
      off: "files off",
    },
  },
  todos: {
    title: (done: number, of: number) => `Todos ${done}/${of}`,
    none: "No todos.",
  },
  heading: "Worldline",
  resumed: (title: string) => `Session: ${title}`,
  withoutModel: {
    title: "No model connected. Everything but chat works.",
    lookedFor: (places: readonly string[]) => `Checked: ${places.join(", ")}`,
    steps: {
      sample: "find what broke a sample project (live)",
      playground: "break something yourself, then undo it",
      folder: "try it in one of your folders",
      sessions: "open a session on this machine",
      connect: "connect a model",
    },
    working: "! commands, /tree, /diff and Esc Esc already work here.",
    freeText: "No model connected. Press 5 and Enter to connect a model; ! runs a command.",
    whichFolder: "Which folder?",
    stopped: "Stopped.",
    more: "Type 1–5 and press Enter to use the options from the first screen.",
    finding: "Finding what broke the sample",
    playgroundOpened: (folder: string) =>
      `Opened a small project to experiment with: ${folder}. Try !rm -r src, then press Esc Esc to restore the files.`,
    folderOpened: (folder: string) =>
      `Opened ${folder}. From here on, every prompt and ! command can be undone.`,
  },
  queueReturned: "Queued messages are back in the editor.",
  promptBack: "Stopped before the reply began. Your prompt is back in the editor.",
  modeNow: (mode: string) => `Permission mode: ${mode}`,
  stepLimit: 'Stopped at the step limit. Send "continue", or say what to do next.',
  unexpected: (message: string) => `Unexpected error: ${message}`,
  noImage:
    "The clipboard contains no image, or cannot be read from here. You can paste the path of an image file.",
  tooSmall: "The window is too small for Worldline.",
};

/** Messages from the app, which the screen shows unchanged. */
const app = {
  lookedFor: {
    variables: (names: readonly string[]) => `the environment (${names.join(", ")})`,
    setting: 'the "model" setting',
    settingNamed: (model: string) => `the "model" setting: ${model}`,
    kept: "keys stored by `worldline setup`",
  },
  /** These two lines are the only ones that stay on the terminal after the screen is closed. */
  resume: (command: string) => `Resume with: ${command}`,
  notSent: (count: number) =>
    `Not sent: ${count === 1 ? "1 message" : `${count} messages`} (${count === 1 ? "it is" : "they are"} in the history: ↑)`,
  /** Shown in a list of sessions. */
  forkOf: (title: string) => `fork of ${title}`,
  leftRunning: (count: number) =>
    count === 1
      ? "An earlier run of this session was killed, and one of its commands is still running:"
      : `An earlier run of this session was killed, and ${count} of its commands are still running:`,
  leftRunningHint:
    "Your next prompt or ! command first stops what is still running. A rewind also offers to stop it.",
  otherFolder: (folder: string) => `This session works in another folder: ${folder}`,
  folderGone: (folder: string) => `${folder} no longer exists; /rewind recreates it`,
  dumb: "This terminal cannot draw a screen (TERM=dumb). All commands work.",
  trustedLater:
    "Trusted. This folder's MCP servers and permission rules take effect the next time a session is opened.",
  sample: {
    made: (folder: string) => `Created a small shop project with a passing test: ${folder}`,
    broken: (steps: number) => `An agent worked on it in ${steps} steps, and now its test fails.`,
    asked: "Which step broke it? The finder runs the test in copies of earlier states:",
    right: "Correct: that is the planted fault.",
    wrong:
      "Wrong: that is not the planted fault. Please report this, with the output of: worldline find --sample",
    gone: "Everything was in a temporary folder, which has been removed.",
  },
};

/** Strings for the editor. */
const editor = {
  modes: {
    shell: "shell command (the model sees the output)",
    "shell-private": "shell command (hidden from the model)",
  },
  linesAbove: (count: number) => `${count} more above`,
  linesBelow: (count: number) => `${count} more below`,
  search: {
    title: "history:",
    found: (chosen: number, of: number) => `${chosen} of ${of} · Ctrl+R older · Enter use`,
    none: "no match",
  },
};

const whole = (count: number): string => count.toLocaleString("en");

/** Slash commands and their responses. */
const commands = {
  groups: {
    travel: "Rewind and redo",
    sessions: "Sessions",
    looking: "Inspect",
    agent: "Agent",
    settings: "Settings",
    program: "Worldline",
  },
  descriptions: {
    undo: "undo the last prompt or ! command, or the last n of them: files and conversation",
    redo: "redo what you last rewound; `list` shows every point you can return to",
    rewind: "go back to a checkpoint (number, session:number or label); 'save' creates one",
    label: "name a checkpoint",
    diff: "show what changed since a checkpoint, or between two",
    tree: "show the whole session, including other branches",
    resume: "open another session",
    fork: "continue in a copy of this session",
    title: "name this session",
    save: "name this point: set the title and create a checkpoint",
    delete: "move a session to the trash",
    clear: "start a new session (this one is kept)",
    export: "export this session to a file",
    context: "show what fills the context window",
    stats: "show tokens, cost, calls and what backtracks saved",
    status: "show session, model, checkpoint and files",
    todos: "show the agent's todos",
    doctor: "check settings, store and machine",
    compact: "summarize the conversation; add a focus to say what to keep",
    loadContext: "add a file to the conversation (default: AGENTS.md)",
    verbose: "show thinking, tool output and notices in full ('off' to stop)",
    quiet: "show only messages and one line per tool call ('off' to stop)",
    init: "create AGENTS.md for this workspace",
    model: "choose the model",
    permissions: "show or change the permission mode and rules",
    config: "view and change settings",
    language: "English or Chinese",
    setup: "connect a model",
    help: "commands and keys",
    exit: "quit (the session can be resumed)",
  },
  help: {
    title: "Help",
    commands: "Commands",
    keys: "Keys",
    also: (names: string) => `also ${names}`,
  },
  unknown: (name: string) => `Unknown command /${name}. /help lists all commands.`,
  unknownButClose: (name: string, close: string) => `Unknown command /${name}. Did you mean /${close}?`,
  interruptFirst: (name: string) => `/${name} is not available during a turn. Press Esc to stop the turn.`,
  takesNothing: (name: string) => `/${name} takes no arguments.`,
  undoCount: (typed: string) =>
    `/undo takes the number of prompts or ! commands to undo: 1 or more, not "${typed}".`,
  languages: (typed: string) => `Unknown language "${typed}". Available: en, zh-CN`,
  formats: (typed: string) =>
    `Unknown format "${typed}". Available: markdown, json, bundle (then a file name)`,
  exporting: "Exporting the session",
  exported: (file: string) => `Exported to ${file}`,
  replaceQuestion: (file: string) => `${file} already exists. Replace it?`,
  replace: { yes: "Yes, replace it", no: "No, keep it" },
  titleNow: (title: string) => `Title: ${title}. Change it with /title <text>.`,
  noTitle: "This session has no title. Set one with /title <text>.",
  forking: "Copying the session",
  forked: (session: string) => `Now in a copy; session ${session} is unchanged.`,
  beginning: "Starting a new session",
  begun: (session: string) => `New session. The previous session is kept: /resume ${session}`,
  begunAnew: "New session. The previous session was empty and was not kept.",
  notTheOneHere: "The open session cannot be deleted. Start another session first with /clear.",
  noTodos: "No todos.",
  asking: (what: string) => `Asking: ${what}`,
  closeKeys: "press any key to close",
  contextOf: (used: number, window: number) => `${whole(used)} of ${whole(window)} tokens`,
  contextUsed: (used: number) => counted(used, "token", "tokens"),
  status: {
    session: "session",
    title: "title",
    workspace: "workspace",
    model: "model",
    mode: "permissions",
    checkpoint: "checkpoint",
    branches: "other branches",
    git: "git branch",
    context: "context",
    cost: "cost",
    saved: "saved by backtracks",
    redoable: "can be redone",
    files: "files",
  },
  none: "none",
  cost: (dollars: number) => `$${dollars.toFixed(2)}`,
  savedTokens: (count: number) => `about ${counted(count, "token", "tokens")}`,
  journeys: (count: number) => counted(count, "journey", "journeys"),
  snapshots: {
    on: "captured",
    capturing: "being captured",
    partial: (why: string) => `partly captured: ${why}`,
    failed: (why: string) => `not captured: ${why}`,
    off: (why: string) => `not captured: ${why}`,
  },
  permissionsMode: (mode: string) =>
    `Mode: ${mode} (Shift+Tab: manual, accept edits, plan; for auto: /permissions auto)`,
  permissionLists: {
    allow: "Allow rules",
    ask: "Ask rules",
    deny: "Deny rules",
    granted: "Allowed for this session",
  },
  noRules: "No rules. Add rules with the permissions settings.",
  modes: {
    manual: "asks before anything is changed",
    "accept-edits": "edits files in the workspace without asking",
    plan: "changes nothing until you approve a plan",
    auto: "runs commands, edits the workspace and uses the network without asking; confirmed once per session",
  },
  modeUnknown: (typed: string) => `Unknown mode "${typed}". Available: manual, accept-edits, plan, auto`,
  settingUnknown: (key: string) => `Unknown setting ${key}. /config lists all settings.`,
  setting: (key: string, value: string, source: string) => `${key} = ${value} (${source})`,
  configUsage: "Type /config set <setting> <value>, or /config get <setting>.",
  settingSetNow: (key: string, value: string) => `Set: ${key} = ${value}. The change takes effect now.`,
  settingSetLater: (key: string, value: string) =>
    `Set: ${key} = ${value}. The change takes effect the next time a session is opened: /clear, /resume, or the next start.`,
  settingOverridden: (key: string, value: string, source: string) =>
    `Saved in your settings, but ${key} is still ${value}, because ${source} overrides it.`,
  detail: {
    verbose: "Verbose: thinking, tool output and notices are shown in full. /verbose off turns it off.",
    quiet: "Quiet: only messages, one line per tool call, and errors are shown. /quiet off turns it off.",
    normal: "Back to normal detail.",
    usage: (name: string) => `/${name} takes on or off.`,
  },
  loading: "Loading the file",
  loaded: (file: string, tokens: number) =>
    `Loaded ${file} (about ${counted(tokens, "token", "tokens")}). The model sees it with your next prompt; /undo removes it.`,
  initPrompt:
    "Look at this workspace and write an AGENTS.md file in its top folder, for coding agents that will work here. As briefly as " +
    "you can, describe the project, how to build, check and test it (the exact commands; try them if that is safe), where to " +
    "find things, and the style rules that the code follows. Leave out anything that is obvious at a glance. If there is " +
    "already an AGENTS.md, correct and shorten it instead.",
  initThere: "AGENTS.md already exists. If you connect a model, /init can improve it.",
  initQuestion: "No model is connected to write AGENTS.md. Create a skeleton to fill in?",
  initYes: "Yes, create the skeleton",
  initNo: "No",
  initWriting: "Writing AGENTS.md",
  initWritten: "Created AGENTS.md. Fill it in; /undo removes it.",
  initSkeleton: [
    "# For agents that work here",
    "",
    "## What this is",
    "",
    "## Commands",
    "Build: ",
    "Test: ",
    "",
    "## Where to find things",
    "",
    "## Rules",
  ],
};

export interface Retried {
  readonly attempt: number;
  readonly of: number;
  readonly waitMs: number;
  readonly checkpoint: number;
  readonly message: string;
}

const scopes = {
  both: "files and conversation",
  conversation: "the conversation",
  files: "the files",
};

const reasons = {
  asked: "on request",
  full: "because the context was nearly full",
  "too-long": "because the provider reported that the context was too long",
};

const number = (count: number): string => count.toLocaleString("en");

/** Lines shown in the conversation in addition to its messages. */
export const transcript = {
  images: (count: number) => counted(count, "image", "images"),
  thinking: "Thinking",
  thought: "Thought",
  calls: {
    asked: "waiting",
    running: "running",
    ok: "done",
    error: "failed",
    denied: "denied",
    interrupted: "interrupted",
  },
  milliseconds: (count: number) => `${count} ms`,
  seconds: (count: string) => `${count} s`,
  minutes: (minutes: number, seconds: number) => `${minutes} min ${seconds} s`,
  lines: (count: number) => counted(count, "line", "lines"),
  moreLines: (count: number) => `${counted(count, "more line", "more lines")}`,
  linesBefore: (count: number) => counted(count, "earlier line", "earlier lines"),
  linesBeforeAtLeast: (count: number) => `at least ${counted(count, "earlier line", "earlier lines")}`,
  more: (count: number) => `${number(count)} more`,
  card: {
    title: (to: number) => `Backtracked to #${to}`,
    left: (entries: number, tokens: number) =>
      `Left ${counted(entries, "entry", "entries")}, about ${counted(tokens, "token", "tokens")}`,
    prompt: (prompt: string) => `Back to: ${prompt}`,
    rationale: (why: string) => `Why: ${why}`,
    note: "Note to itself:",
    undo: "Undo this backtrack: /redo list",
  },
  /** Entries that a journey left, shown collapsed in their original position. */
  left: {
    before: { backtrack: "Before the agent went back", redo: "Before the redo" },
    calls: (count: number) => counted(count, "tool call", "tool calls"),
    messages: (count: number) => counted(count, "message", "messages"),
    keys: { folded: "Ctrl+O expands", unfolded: "Ctrl+O collapses" },
  },
  restored: (counts: CountsTold) => {
    const seen = outcomesSeen(counts).map(([count, what]) =>
      what === "restored" ? `${counted(count, "path", "paths")} ${what}` : `${number(count)} ${what}`,
    );
    return seen.length === 0 ? "no paths restored" : seen.join(", ");
  },
  rewound: (scope: keyof typeof scopes, to: number) => `Rewound ${scopes[scope]} to #${to}`,
  redone: (scope: keyof typeof scopes) => `Redone: ${scopes[scope]}`,
  outcomes: {
    restored: "restored",
    created: "created",
    removed: "removed",
    merged: "merged",
    kept: "kept",
    "not-restorable": "not restorable",
    "parent-changed": "folder replaced",
    failed: "failed",
  },
  /** `after` is undefined if the new size is unknown. */
  compacted: (reason: keyof typeof reasons, before: number, after: number | undefined) =>
    `Compacted from about ${number(before)}${after === undefined ? "" : ` to ${number(after)}`} tokens, ${reasons[reason]}`,
  notCompacted: (why: string) => `Not compacted: ${why}`,
  interrupts: {
    person: "Interrupted. All work up to this point is kept.",
    crash: "The program ended before the turn was finished.",
    limit: "Stopped at the step limit.",
  },
  retry: ({ attempt, of, waitMs, message }: Retried) =>
    `Retrying in ${Math.ceil(waitMs / 1_000)} s (${attempt} of ${of}): ${message}`,
  times: (message: string, times: number) => (times === 1 ? message : `${message} (tried ${times} times)`),
  goOn: 'Nothing is lost. Send "continue" to try again from here, or choose another model with /model.',
  replyCut: "The reply hit the model's output limit.",
  title: (title: string) => `Title: ${title}`,
  label: (label: string, checkpoint: number | undefined) => {
    const of = checkpoint === undefined ? "" : ` of #${checkpoint}`;
    return label === "" ? `Label${of} removed` : `Label${of}: ${label}`;
  },
  files: {
    changed: (count: number) => `${counted(count, "file", "files")} changed`,
    list: (count: number) => `${counted(count, "file", "files")} changed: `,
    created: "new",
    deleted: "deleted",
  },
  todos: (done: number, of: number) => `Todos: ${done} of ${of} done`,
};

/** Strings for the terminal screen. */
export const terminal = { commands, dialogs, editor, screen, app, transcript };
