import { dialogs } from "./dialogs.ts";
import { type CountsTold, counted, outcomesSeen } from "./measures.ts";

/** What stands around the conversation: the line that moves, the status line, hints, and the first screen. */
const screen = {
  opening: "Opening the session",
  starting: "starting",
  leaving: "Closing: what was captured is put in order",
  took: (text: string) => `after ${text}`,
  seconds: (count: number) => `${count} s`,
  minutes: (minutes: number, seconds: number) => `${minutes} min ${seconds} s`,
  doing: {
    thinking: "Thinking",
    tool: (name: string, about: string) => (about === "" ? name : `${name} ${about}`),
    asking: "Waiting for your answer",
    capturing: (progress: string) => `Capturing the files${progress}`,
    waiting: (progress: string) => `Waiting for the first capture${progress}, Ctrl+P skips it`,
    compacting: "Compacting the conversation",
    working: "Working",
    files: (files: number, ofFiles: number) => ` (${files} of ${ofFiles})`,
  },
  controlCStops: "Ctrl+C stops",
  escStops: "Esc stops",
  queued: (text: string) => `queued: ${text}`,
  hints: {
    leave: "Press Ctrl+C again to leave",
    leaveByD: "Press Ctrl+D again to leave",
    clear: "Press Esc again to clear what you typed; the history keeps it",
    rewind: "Press Esc again to go back",
    hurry: "Press Ctrl+C to leave at once",
    stopping: "Stopping",
    scrolled: (lines: number) => `${lines} lines further down; End goes there`,
  },
  placeholder: "Say what to do, ! for a command, / for more, ? for keys",
  placeholderFirst: "! for a command, / for more, ? for keys, or a digit from above",
  placeholderWithoutModel: "! for a command, / for more, ? for keys; 5 Enter connects a model",
  status: {
    noModel: "no model",
    host: (name: string) => `host ${name}`,
    modes: { manual: "manual", "accept-edits": "accept edits", plan: "plan", auto: "auto" },
    context: (percent: number) => `${percent}% context`,
    tokens: (count: string) => `${count} context`,
    cost: (dollars: string) => `$${dollars}`,
    checkpoint: (number: number) => `#${number}`,
    branch: (name: string) => name,
    branchesLeft: (count: number) => (count === 1 ? "1 branch left" : `${count} branches left`),
    saved: (count: string) => `${count} tokens saved by backtracks`,
    savedShort: (count: string) => `${count} saved`,
    snapshots: {
      on: "files captured",
      capturing: "capturing files",
      partial: "files in part",
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
    title: "There is no model yet. Everything except chat works.",
    lookedFor: (what: string) => `Looked for: ${what}`,
    steps: {
      sample: "find what broke a sample project (the finder, live)",
      playground: "break something yourself, and go back",
      folder: "time-travel a folder of yours",
      sessions: "open a session found on this machine",
      connect: "connect a model",
    },
    working: "! commands, /tree, /diff and Esc Esc work here already.",
    freeText: "No model is connected, so nobody can answer that. 5 and Enter connects one; ! runs a command.",
    whichFolder: "Which folder?",
    stopped: "Stopped.",
    more: "1 to 5 and Enter take the steps of the first screen, from here too.",
    finding: "Finding what broke the sample",
    playgroundOpened: (folder: string) =>
      `This is a small project to break: ${folder}. Try: !rm -r src, then press Esc Esc and take the files back.`,
    folderOpened: (folder: string) =>
      `Opened ${folder}. Every ! command and every prompt from here on can be taken back.`,
  },
  queueReturned: "Queued messages are back in the editor.",
  promptBack: "Stopped before anything came; what you asked is back in the editor.",
  modeNow: (mode: string) => `Permission mode: ${mode}`,
  stepLimit: 'The turn stopped at the step limit. Say how to go on, or "go on".',
  unexpected: (message: string) => `Something unexpected went wrong: ${message}`,
  noImage:
    "There is no image in the clipboard, or no way to it from here. The path of an image file can be pasted.",
  tooSmall: "The window is too small for Worldline.",
};

/** What the station says by itself; the screen shows it as it is. */
const station = {
  lookedFor: {
    variable: (name: string) => `${name} in the environment`,
    setting: 'the setting "model"',
    settingNamed: (model: string) => `the setting "model": ${model}`,
    kept: "keys that `worldline setup` keeps",
  },
  /** All that stays on the terminal when the screen is gone. */
  resume: (command: string) => `Resume with: ${command}`,
  notSent: (count: number) =>
    `Not sent: ${count === 1 ? "1 message" : `${count} messages`} (the history has ${count === 1 ? "it" : "them"}, ↑)`,
  /** In a list of sessions. */
  forkOf: (title: string) => `fork of ${title}`,
  leftRunning: (count: number) =>
    count === 1
      ? "A run of this session was killed, and a command of it still runs:"
      : `A run of this session was killed, and ${count} commands of it still run:`,
  leftRunningHint: "Your next prompt or ! command ends it first. A rewind offers to end it too.",
  otherFolder: (folder: string) => `This session works in another folder: ${folder}`,
  folderGone: (folder: string) => `${folder} is not there any more; /rewind makes it again`,
  dumb: "No screen is opened here: this terminal says that nothing can be drawn on it (TERM=dumb). All commands work.",
  trustedLater:
    "Trusted. MCP servers and permission rules of this folder count when a session is opened next.",
  sample: {
    made: (folder: string) => `A small shop with a test that passes: ${folder}`,
    broken: (steps: number) => `An agent has worked on it in ${steps} steps, and now its test fails.`,
    asked: "Which step broke it? The finder asks the test itself, in copies of earlier states:",
    right: "That is what was done: it is right.",
    wrong: "That is NOT what was done. Please report it, with: worldline find --sample",
    gone: "All of it was in a temporary folder, which is gone again.",
  },
};

/** Where the person writes. */
const editor = {
  modes: {
    shell: "command: the model gets its output",
    "shell-untold": "command: the model is not told",
  },
  linesAbove: (count: number) => `${count} more above`,
  linesBelow: (count: number) => `${count} more below`,
  search: {
    title: "history:",
    found: (chosen: number, of: number) => `${chosen} of ${of}, Ctrl+R older, Enter takes it`,
    none: "nothing like that was typed",
  },
};

const whole = (count: number): string => count.toLocaleString("en");

/** What is typed with a slash, and what it answers. */
const commands = {
  groups: {
    travel: "Going back and forward",
    sessions: "Sessions",
    looking: "Looking",
    agent: "The agent",
    settings: "Settings",
    program: "Worldline",
  },
  descriptions: {
    undo: "take back the last prompt or ! command, or n of them: files and conversation",
    redo: "redo what you last rewound; `list` shows every jump",
    rewind: "choose a checkpoint to go back to (number, session:number or label); 'save' makes one here",
    label: "name a checkpoint",
    diff: "what changed since a checkpoint, or between two",
    tree: "the whole session, branches that were left included",
    resume: "go on with another session",
    fork: "go on in a copy of this session",
    title: "name this session",
    save: "keep this place under a name: the session's title, and a checkpoint",
    delete: "move a session to the trash",
    clear: "begin a new session; this one stays",
    export: "write this session to a file",
    context: "what fills the model's window",
    stats: "tokens, cost, calls and what backtracks saved",
    status: "where you are: session, model, checkpoint, files",
    todos: "what the agent has set out to do",
    doctor: "check settings, store and machine",
    compact: "have the conversation summarised; a focus says what matters",
    loadContext: "add a file to the conversation; without a path AGENTS.md, as it is now",
    verbose: "show thinking, tool output and notices in full; 'off' ends it",
    quiet: "show only what is said and one line for each tool call; 'off' ends it",
    init: "have AGENTS.md written for this workspace",
    model: "choose the model",
    permissions: "rules and mode: what asks, and what does not",
    config: "see and change settings",
    language: "English or Chinese",
    setup: "connect a model",
    help: "commands and keys",
    exit: "leave; the session can be resumed",
  },
  help: {
    title: "Help",
    commands: "Commands",
    keys: "Keys",
    also: (names: string) => `also ${names}`,
  },
  unknown: (name: string) => `There is no command /${name}. /help shows all of them.`,
  unknownButClose: (name: string, close: string) => `There is no command /${name}. Did you mean /${close}?`,
  interruptFirst: (name: string) => `/${name} waits until the turn has ended. Interrupt first: Esc`,
  takesNothing: (name: string) => `/${name} takes nothing behind it.`,
  undoCount: (typed: string) =>
    `/undo takes how many prompts or ! commands to take back: 1 or more, not "${typed}".`,
  rewindWords: (typed: string) =>
    `There is no checkpoint "${typed}" here. /rewind opens the list, /checkpoint save [label] makes a checkpoint here.`,
  languages: (typed: string) => `"${typed}" is no language that there is. Possible: en, zh-CN`,
  formats: (typed: string) => `"${typed}" is no format. Possible: markdown, json, bundle, then a file name`,
  exporting: "Writing the session to a file",
  exported: (file: string) => `Written: ${file}`,
  replaceQuestion: (file: string) => `${file} is there already. Replace it?`,
  replace: { yes: "Yes, replace it", no: "No, keep it" },
  titleNow: (title: string) => `This session is called: ${title}. /title <text> gives it another name.`,
  noTitle: "This session has no title. /title <text> gives it one.",
  forking: "Copying the session",
  forked: (session: string) => `You are in a copy now; session ${session} stays as it is.`,
  beginning: "Beginning a new session",
  begun: (session: string) => `A new session. The one before is kept: /resume ${session}`,
  begunAnew: "A new session. Nothing had been done in the one before, so it is not kept.",
  noSession: (wanted: string) =>
    `No session is called "${wanted}", or has an id that begins with it. /resume shows all of them.`,
  severalSessions: (wanted: string, ids: string) => `Several sessions begin with ${wanted}: ${ids}`,
  notTheOneHere: "The session that is open here cannot be deleted. /clear begins another one first.",
  noTodos: "The agent has set out to do nothing.",
  asking: (what: string) => `Asking: ${what}`,
  closeKeys: "any key closes this",
  contextOf: (used: number, window: number) => `${whole(used)} of ${whole(window)} tokens`,
  contextUsed: (used: number) => counted(used, "token", "tokens"),
  status: {
    session: "session",
    title: "title",
    workspace: "workspace",
    model: "model",
    mode: "permissions",
    checkpoint: "checkpoint",
    branches: "branches left",
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
    partial: (why: string) => `captured in part: ${why}`,
    failed: (why: string) => `not captured: ${why}`,
    off: (why: string) => `not captured: ${why}`,
  },
  permissionsMode: (mode: string) =>
    `Mode: ${mode} (Shift+Tab: manual, accept edits, plan; auto by name: /permissions auto)`,
  permissionLists: {
    allow: "Allowed by rule",
    ask: "Asked by rule",
    deny: "Denied by rule",
    granted: "Allowed for this session",
  },
  noRules: "There are no rules. The setting permissions makes some.",
  modes: {
    manual: "what changes something asks",
    "accept-edits": "edits inside the workspace do not ask",
    plan: "nothing is changed until you approve a plan",
    auto: "commands, edits inside the workspace and the network do not ask; confirmed once in each session",
  },
  modeUnknown: (typed: string) => `"${typed}" is no mode. Possible: manual, accept-edits, plan, auto`,
  settingUnknown: (key: string) => `There is no setting ${key}. /config shows all of them.`,
  setting: (key: string, value: string, source: string) => `${key} = ${value} (${source})`,
  configUsage: "Type /config set <setting> <value>, or /config get <setting>.",
  settingSetNow: (key: string, value: string) => `Set: ${key} = ${value}. It takes effect now.`,
  settingSetLater: (key: string, value: string) =>
    `Set: ${key} = ${value}. It takes effect when a session is opened: /clear, /resume, or the next start.`,
  settingOverridden: (key: string, value: string, source: string) =>
    `Set in your settings, but ${key} is still ${value}: ${source} overrides it.`,
  detail: {
    verbose: "Verbose: thinking, tool output and notices are shown in full. /verbose off ends it.",
    quiet: "Quiet: only what is said, one line for each tool call, and what goes wrong. /quiet off ends it.",
    normal: "Back to the usual amount of detail.",
    usage: (name: string) => `/${name} takes on or off.`,
  },
  loading: "Loading the file",
  loaded: (file: string, tokens: number) =>
    `Loaded ${file} (about ${counted(tokens, "token", "tokens")}). The model sees it with your next prompt; /undo takes it back.`,
  initPrompt:
    "Look at this workspace and write a file AGENTS.md at its top, for coding agents that will work here. Say, as briefly as " +
    "you can: what the project is, how it is built, checked and tested (the exact commands, tried where that is safe), where " +
    "what is, and the rules of style that its code shows. Leave out what can be seen at a glance. If there is an AGENTS.md " +
    "already, correct and shorten it instead.",
  initThere: "AGENTS.md is there already. With a model, /init would have it improved.",
  initQuestion: "There is no model that could write AGENTS.md. Write a skeleton to fill in?",
  initYes: "Yes, write the skeleton",
  initNo: "No",
  initWriting: "Writing AGENTS.md",
  initWritten: "AGENTS.md is written: fill it in. /undo takes it back.",
  initSkeleton: [
    "# For agents that work here",
    "",
    "## What this is",
    "",
    "## Commands",
    "Build: ",
    "Test: ",
    "",
    "## Where what is",
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
  asked: "as asked",
  full: "because the context was nearly full",
  "too-long": "because the provider said that it is too long",
};

const number = (count: number): string => count.toLocaleString("en");

/** What stands in the conversation besides what was said in it. */
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
  linesBefore: (count: number) => `${counted(count, "line", "lines")} before`,
  linesBeforeAtLeast: (count: number) => `at least ${counted(count, "line", "lines")} before`,
  more: (count: number) => `${number(count)} more`,
  card: {
    title: (to: number) => `Backtracked to #${to}`,
    left: (entries: number, tokens: number) =>
      `Left ${counted(entries, "entry", "entries")} behind, about ${counted(tokens, "token", "tokens")}`,
    prompt: (prompt: string) => `Back at: ${prompt}`,
    rationale: (why: string) => `Why: ${why}`,
    note: "Note to itself:",
    undo: "Undo this backtrack: /redo list",
  },
  /** What a journey left, which stays where it was. */
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
    return seen.length === 0 ? "no path restored" : seen.join(", ");
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
  /** Why a path was kept or failed, as the timeline has it. */
  /** `after`: undefined where nobody knows. */
  compacted: (reason: keyof typeof reasons, before: number, after: number | undefined) =>
    `Compacted from about ${number(before)}${after === undefined ? "" : ` to ${number(after)}`} tokens, ${reasons[reason]}`,
  notCompacted: (why: string) => `Not compacted: ${why}`,
  interrupts: {
    person: "Interrupted. What was done so far is kept.",
    crash: "The program ended here before the turn did.",
    limit: "Stopped: the turn has come to its limit of steps.",
  },
  retry: ({ attempt, of, waitMs, checkpoint, message }: Retried) =>
    `Attempting recovery from last checkpoint (#${checkpoint}), ${attempt} of ${of}, in ` +
    `${Math.ceil(waitMs / 1_000)} s: ${message}`,
  times: (message: string, times: number) => (times === 1 ? message : `${message} (tried ${times} times)`),
  goOn: 'What was done is kept. Send "go on" to try again from here, or /model to choose another model.',
  replyCut: "The reply was cut: it is as long as the model allows.",
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

/** What the terminal shows. */
export const terminal = { commands, dialogs, editor, screen, station, transcript };
