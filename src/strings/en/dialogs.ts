import type { CountsTold } from "./measures.ts";
import { counted, outcomesSeen } from "./measures.ts";

const files = (count: number) => counted(count, "file", "files");

export interface Counts {
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
  readonly kept: number;
}

/** What asks, what is chosen from, and what going back says. */
export const dialogs = {
  keys: {
    menu: "↑↓ or digit · Enter choose · Esc leave",
    menuBack: "↑↓ or digit · Enter choose · Esc back",
    confirm: "y yes · n no · Esc leave",
    text: "Enter done · Esc leave",
    list: "↑↓ · Enter choose · / filter · Esc leave",
    pager: "↑↓ PgUp PgDn Home End · Esc back",
    checkpoints: "Enter go · → steps · / filter · 0 or Esc leave",
    executions: "Enter go · / filter · 0 or Esc leave",
    preview: {
      go: "Enter go",
      look: "↑↓ look",
      conflicts: "k keep · t take · m merge · K T M all",
      running: { leave: "s stop what runs", stop: "s let it run" },
      back: "Esc back",
    },
    tree: "Enter look · g go there · f fork · l label · / filter · Esc leave",
    treeFilter: "Enter keep these rows · Esc all rows",
    digits: "Enter: that row",
    back: "Esc back",
    permission: "1-4 · Ctrl+E see all · Esc no",
    several: "Space tick · Enter done · Esc leave",
    plan: "1-4 · PgUp PgDn read · Esc no",
    sessions: "Enter open · / search · Ctrl+A all folders · d delete · Esc leave",
    models: "Enter use · s use and remember · / filter · Esc leave",
  },
  unreadable: (count: number) => `${counted(count, "session", "sessions")} could not be read: /doctor`,
  moreLines: (count: number) => `and ${counted(count, "more line", "more lines")}`,
  checkpoints: {
    elsewhere: "In other sessions of this workspace",
    lookingElsewhere: "Reading the other sessions of this workspace…",
    unread: "The other sessions could not be read: /doctor",
    left: "(branch that was left)",
    after: (text: string) => `after ${text}`,
    step: (time: string) => `Step at ${time}`,
    noFiles: "conversation only",
    noFilesShort: "-",
    changed: (count: number) => (count === 0 ? "no changes" : `${files(count)} since`),
  },
  scope: {
    title: (place: string) => `Rewind to ${place}`,
    returnTitle: (place: string) => `Return to ${place}`,
    names: { both: "Files and conversation", conversation: "Conversation only", files: "Files only" },
    descriptions: {
      both: "Both as they were there",
      conversation: "Files stay as they are now",
      files: "The conversation goes on from here",
    },
    without: (why: string) => `Files cannot go back: ${why}`,
    nothing: "There is nothing to go back to here.",
  },
  preview: {
    leaves: (entries: number, tokens: number | undefined) =>
      `Leaves this branch (${counted(entries, "entry", "entries")}${
        tokens === undefined ? "" : `, ${counted(tokens, "token", "tokens")}`
      }, kept in /tree)`,
    returns: (place: string) => `Newer work is left. Returns to ${place}`,
    opens: (session: string) => `Leaves this session, which is kept, and opens another: ${session}`,
    filesStay: (why: string) => `Files stay as they are: ${why}`,
    counts: ({ created, changed, deleted, kept }: Counts) =>
      `Files: ${created} created, ${changed} changed, ${deleted} deleted${kept === 0 ? "" : `, ${kept} kept`}`,
    conflicts: (count: number, fate: "keep" | "take") =>
      `${files(count)} changed by others since, or in another session: ${
        fate === "keep" ? "kept" : "taken"
      } unless you choose`,
    git: (was: string, now: string) => `git moved from ${was} to ${now}: it is not touched`,
    touchedOnly: "Only files that tools have written are known in this folder",
    running: (commands: string, then: "leave" | "stop") =>
      then === "stop"
        ? `Will be stopped first: ${commands}`
        : `Still running, and may change files again: ${commands}`,
    noFiles: "No file would change.",
    choices: {
      keep: "conflict: keep yours",
      take: "conflict: overwrite with the checkpoint",
      merge: "conflict: merge both",
    },
    during: (commands: string) => `Changed while ${commands} ran; may be yours (k keeps a file):`,
    duringKept: "stays, as you chose",
    noMerge: "does not merge cleanly",
    kept: (why: string) => `stays: ${why}`,
    notRestorable: (why: string) => `not restorable: ${why}`,
    steps: { created: "created", deleted: "deleted", changed: "changed", mode: "mode", kind: "kind" },
  },
  consent: {
    question: (count: number) => `This deletes ${files(count)}. Go on?`,
    about: "The present is kept: /redo brings them back.",
    yes: "Yes, delete them",
    no: "No, back to the preview",
  },
  redo: {
    title: "Return to:",
    none: "Nothing to redo.",
    noneBut: "Nothing to redo. Return to a branch that you left earlier: /redo list",
  },
  travel: {
    looking: "Looking at what would change",
    making: "Going there",
    saving: "Making a checkpoint",
    saved: (number: number) => `Checkpoint #${number}`,
    savedAs: (number: number, label: string) => `Checkpoint #${number} "${label}"`,
    previewTitles: {
      rewind: (place: string) => `Rewind to ${place}`,
      redo: (place: string) => `Redo to ${place}`,
    },
    restored: (place: string) => `Restored to checkpoint: ${place}`,
    redone: (place: string) => `Redone to: ${place}`,
    failed: (why: string) => `Restore failed: ${why}`,
    counts: (counts: CountsTold) => {
      const seen = outcomesSeen(counts).map(([count, what]) => `${count} ${what}`);
      return seen.length === 0 ? "no file changed" : `files: ${seen.join(", ")}`;
    },
    moreKept: (count: number) => `${count} more: Ctrl+O`,
    visited: (opened: string, left: string) => `this is the session ${opened} now; back: /resume ${left}`,
    differ: (count: number) => `${files(count)} ${count === 1 ? "differs" : "differ"} from that checkpoint`,
    outcome: (path: string, outcome: "kept" | "not-restorable" | "failed", why: string) =>
      `${path}: ${outcome === "not-restorable" ? "not restorable" : outcome}, ${why}`,
    forward: "Undo this: /redo",
    forwardAgain: "Undo this: /redo list",
  },
  label: {
    pick: "Label which checkpoint?",
    title: (number: number) => `Label for #${number} (empty: none)`,
  },
  diff: {
    usage: "/diff takes checkpoint numbers: /diff, /diff 12, /diff 12 15",
    looking: "Comparing files",
    since: (number: number) => `Since checkpoint #${number}`,
    between: (from: number, to: number) => `From checkpoint #${from} to #${to}`,
    same: (title: string) => `${title}: no file differs.`,
  },
  tree: {
    title: "The tree of this session",
    none: "Nothing here.",
    head: "you are here",
    beginning: "Beginning of the session",
    wordless: "(an image)",
    end: (by: "rewind" | "redo" | "backtrack", to: number | undefined, entries: number) => {
      const verbs = { rewind: "rewound", redo: "left by a redo", backtrack: "backtracked" } as const;
      const where = to === undefined || by === "backtrack" ? "" : ` to #${to}`;
      return `${verbs[by]}${where} from here (${counted(entries, "entry", "entries")})`;
    },
    noPlace: "No checkpoint or journey stands for exactly this row. Choose the one above or below it.",
    hereAlready: "You are here.",
    noLabel: "Only checkpoints can be labeled. Choose a row with a number.",
    forking: "Forking",
    forked: (session: string) =>
      `This is the fork ${session} now; the session before stays as it was. /resume goes back to it`,
  },
  permission: {
    title: (tool: string) => `Allow ${tool}?`,
    bySubAgent: (title: string) => `${title} A sub-agent asks.`,
    why: (why: string) => `Asked because: ${why}`,
    once: "Yes, once",
    session: (rule: string) => `Yes, for this session: ${rule}`,
    no: "No",
    noBecause: "No, and tell it why",
    onceUnread: "Yes, once: read all of it, Ctrl+E",
    sessionUnread: "For this session: read its rule, Ctrl+E",
    rule: (rule: string) => `Rule for this session: ${rule}`,
    runs: (programs: string) => `Runs: ${programs}`,
    host: (host: string) => `Host: ${host}`,
    cannot: (why: string) => `It cannot be done: ${why}`,
    without: {
      "not-text": "No diff: the file as it is now is not text.",
      "too-different": "No diff: too much of the file would change.",
      unknown: "No diff: what it would change in the file cannot be worked out here.",
    },
    reasonKeys: "What should it do instead? Enter send · Esc back",
    moreLines: (count: number) => `⋯ ${counted(count, "more line", "more lines")}: Ctrl+E`,
  },
  /** In the place of long runs of blanks. */
  blanks: {
    spaces: (count: number) => `⋯ ${count} spaces ⋯`,
    blanks: (count: number) => `⋯ ${count} blank characters ⋯`,
    lines: (count: number) => `⋯ ${count} blank lines ⋯`,
  },
  questions: {
    title: (header: string) => `The agent asks: ${header}`,
    own: "In my own words",
    ownKeys: "Type your answer. Enter done · Esc back",
  },
  plan: {
    title: "Carry out this plan?",
    manual: "Yes, ask before each change",
    acceptEdits: "Yes, edits without asking",
    auto: "Yes, all without asking",
    no: "No, and tell it why",
    noKeys: "What is missing? Enter send · Esc back",
  },
  sessions: {
    title: "Sessions of this workspace",
    titleAll: "Sessions of all workspaces",
    looking: "Looking for sessions",
    none: "No sessions found.",
    held: "(open elsewhere)",
    here: "(this one)",
    messages: (count: number) => counted(count, "message", "messages"),
    alreadyHere: "That is the session that is open here.",
    opening: (title: string) => `Opening ${title}`,
    unconfirmed: "(unconfirmed)",
    confirmQuestion: (title: string) => `Work on "${title}", which was not written here?`,
    confirmYes: "Yes, in this folder",
    confirmNo: "No",
    deleteQuestion: (title: string) => `Delete "${title}"?`,
    deleteAbout: "It goes to the trash for 30 days.",
    deleteYes: "Yes, to the trash",
    deleteNo: "No",
    deleted: (title: string, session: string) =>
      `"${title}" is in the trash for 30 days. To have it back: worldline sessions undelete ${session}`,
  },
  crash: {
    title: (step: number) => `The last turn was cut at step ${step}`,
    calls: "Begun and not ended; whether it took effect is not known:",
    call: (name: string, about: string) => `  ${name} ${about}`,
    noCalls: "No tool call was open.",
    continue: "Continue",
    continueMeans: "from the last good step; open calls are reported, not run again",
    retry: "Retry the step",
    retryMeans: "the model is asked once more from where the step began",
    rewindFiles: (number: number) => `Rewind the files to before it (#${number})`,
    rewindFilesMeans: "with a preview first",
    leave: "Leave it",
    leaveMeans: "nothing is done, and you are not asked again",
  },
  models: {
    title: "Model",
    none: "No models found.",
    current: "(in use)",
    window: (tokens: string) => `${tokens} window`,
    noKey: "needs a key",
    chosen: (name: string) => `${name} answers from the next prompt on.`,
    remembered: (name: string) => `${name} answers from the next prompt on, and in later sessions.`,
  },
  settings: {
    title: "Settings",
    none: "No settings found.",
    from: (source: string) => `Now from: ${source}. What you type goes into your own settings.`,
  },
  connect: {
    title: "Connect which provider?",
    lookingForOllama: "Looking for an Ollama on this machine",
    ollamaFound: "An Ollama runs on this machine. Use it?",
    ollamaModels: (named: string, more: number) =>
      more > 0 ? `It has ${named} and ${more} more.` : `It has ${named}.`,
    useOllama: "Yes",
    useOther: "No, another provider",
    whichOllama: "Which of its models?",
    hasKey: (variable: string) => `${variable} is set`,
    wantsKey: (variable: string) => `needs a key, or ${variable}`,
    keyTitle: (provider: string) => `Key for ${provider}`,
    keyAbout: (variable: string) =>
      `It is kept in a file that only you can read. Rather not? Leave, and set ${variable} in your environment.`,
    connectedLocal: (name: string) =>
      `Connected: ${name}. It is kept as the setting "model" for later sessions; /model chooses another.`,
    connecting: (provider: string) => `Connecting to ${provider}`,
    connected: (name: string) => `Connected: ${name}`,
  },
  trust: {
    title: (folder: string) => `Trust what ${folder} brings along?`,
    about: "Until you do, this is ignored:",
    no: "No, go on without it",
    noMeans: "nothing of it counts or is started",
    yes: "Yes, trust it",
    yesMeans: "until it changes",
    unread: "Yes: read all of it first, Ctrl+E",
    changed: "It has changed since you were asked. Nothing is trusted; look at it again.",
    trusted: "Trusted. It counts from now on.",
  },
  auto: {
    title: "Use auto mode in this session?",
    about: [
      "Without asking, the agent then runs any command, such as git push, rm or an install, with your rights and over the network. It changes files of the workspace, opens web addresses and calls tools of MCP servers.",
      "It still asks about paths outside the workspace that a call names, and about .git, .worldline, .envrc and .mcp.json. Your rules that deny or ask hold.",
    ],
    yes: "Yes, until this session is closed",
    no: "No",
  },
  language: {
    title: "Language",
    /** Which row of the menu is this language. */
    own: 0,
  },
  keysHelp: {
    title: "Keys",
    rows: [
      ["Enter", "send; while busy: queue"],
      ["Shift+Enter", "new line (or \\ Enter)"],
      ["Esc", "interrupt"],
      ["Esc Esc", "go back (empty prompt)"],
      ["↑ ↓", "what was typed before"],
      ["Ctrl+R", "search what was typed"],
      ["Shift+Tab", "manual, accept edits, plan"],
      ["@", "mention a file"],
      ["!", "run a command"],
      ["/", "commands"],
      ["Ctrl+O", "unfold calls and thinking"],
      ["Ctrl+T", "todos"],
      ["Ctrl+G", "external editor"],
      ["Ctrl+V", "paste an image"],
      ["PgUp PgDn", "scroll"],
      ["Ctrl+C", "interrupt; twice: leave"],
      ["Ctrl+D", "leave, on an empty prompt"],
    ] as readonly (readonly [key: string, does: string])[],
  },
  context: {
    used: (used: string, window: string, percent: number) =>
      `Context: ${used} of ${window} tokens (${percent} %)`,
    free: "free",
    parts: {
      system: "system prompt",
      tools: "tools",
      summary: "summary",
      prompts: "your prompts",
      replies: "replies",
      results: "tool results",
      notes: "notes",
    },
  },
};
