import type { CountsTold } from "./measures.ts";
import { counted, outcomesSeen } from "./measures.ts";

const files = (count: number) => counted(count, "file", "files");

export interface Counts {
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
  readonly kept: number;
}

/** Strings for the dialogs: questions, lists and the preview of a journey. */
export const dialogs = {
  keys: {
    menu: "↑↓ or digit · Enter select · Esc cancel",
    menuBack: "↑↓ or digit · Enter select · Esc back",
    confirm: "y yes · n no · Esc cancel",
    text: "Enter confirm · Esc cancel",
    list: "↑↓ · Enter select · / filter · Esc cancel",
    pager: "↑↓ PgUp PgDn Home End · Esc back",
    checkpoints: "Enter rewind · → steps · / filter · 0 or Esc cancel",
    executions: "Enter restore · / filter · 0 or Esc cancel",
    preview: {
      go: "Enter apply",
      look: "↑↓ scroll",
      conflicts: "k keep · t take · m merge · K T M all",
      running: { leave: "s stop commands", stop: "s keep them running" },
      back: "Esc back",
    },
    tree: "Enter view · g go there · f fork · l label · / filter · Esc close",
    treeFilter: "Enter keep filter · Esc clear filter",
    digits: "Enter selects this row",
    back: "Esc back",
    permission: "1-4 · Ctrl+E show all · Esc decline",
    several: "Space select · Enter confirm · Esc cancel",
    plan: "1-4 · PgUp PgDn scroll · Esc decline",
    sessions: "Enter open · / search · Ctrl+A all folders · d delete · Esc cancel",
    models: "Enter use · s use and remember · / filter · Esc cancel",
  },
  unreadable: (count: number) => `${counted(count, "session", "sessions")} could not be read; see /doctor`,
  moreLines: (count: number) => `and ${counted(count, "more line", "more lines")}`,
  checkpoints: {
    elsewhere: "Other sessions in this workspace",
    lookingElsewhere: "Reading the other sessions in this workspace…",
    unread: "Could not read the other sessions; see /doctor",
    left: "(other branch)",
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
      both: "Both return to this point",
      conversation: "Files stay as they are",
      files: "The conversation stays as it is",
    },
    without: (why: string) => `Files cannot be restored: ${why}`,
    nothing: "There is nothing to rewind here.",
  },
  preview: {
    leaves: (entries: number, tokens: number | undefined) =>
      `Leaves this branch (${counted(entries, "entry", "entries")}${
        tokens === undefined ? "" : `, ${counted(tokens, "token", "tokens")}`
      }, kept in /tree)`,
    returns: (place: string) => `Leaves newer work behind and returns to ${place}`,
    opens: (session: string) => `Switches to another session: ${session} (this one is kept)`,
    filesStay: (why: string) => `Files stay as they are: ${why}`,
    counts: ({ created, changed, deleted, kept }: Counts) =>
      `Files: ${created} created, ${changed} changed, ${deleted} deleted${kept === 0 ? "" : `, ${kept} kept`}`,
    conflicts: (count: number, fate: "keep" | "take") =>
      `${files(count)} changed outside this session: ${
        fate === "keep" ? "kept" : "overwritten"
      } unless you choose otherwise`,
    git: (was: string, now: string) => `git moved from ${was} to ${now} (git itself does not change)`,
    touchedOnly: "In this folder, only files that tools have written can be restored",
    running: (commands: string, then: "leave" | "stop") =>
      then === "stop"
        ? `Will be stopped first: ${commands}`
        : `Still running (may change files again): ${commands}`,
    noFiles: "No files would change.",
    choices: {
      keep: "conflict: keep yours",
      take: "conflict: overwrite with the checkpoint's version",
      merge: "conflict: merge both",
    },
    during: (commands: string) => `Changed while ${commands} ran; may be your edits (k keeps a file):`,
    duringKept: "kept, as you chose",
    noMerge: "does not merge cleanly",
    kept: (why: string) => `kept: ${why}`,
    notRestorable: (why: string) => `not restorable: ${why}`,
    steps: { created: "created", deleted: "deleted", changed: "changed", mode: "mode", kind: "kind" },
  },
  consent: {
    question: (count: number) => `This deletes ${files(count)}. Continue?`,
    about: "/redo restores them.",
    yes: "Yes, delete them",
    no: "No, back to the preview",
  },
  redo: {
    title: "Return to:",
    none: "Nothing to redo.",
    noneBut: "Nothing to redo. To return to a branch that you left earlier: /redo list",
  },
  travel: {
    looking: "Preparing the preview",
    making: "Restoring",
    saving: "Creating a checkpoint",
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
      return seen.length === 0 ? "no files changed" : `files: ${seen.join(", ")}`;
    },
    moreKept: (count: number) => `${count} more: Ctrl+O`,
    visited: (opened: string, left: string) => `now in session ${opened}; to return: /resume ${left}`,
    differ: (count: number) => `${files(count)} ${count === 1 ? "differs" : "differ"} from that checkpoint`,
    outcome: (path: string, outcome: "kept" | "not-restorable" | "failed", why: string) =>
      `${path}: ${outcome === "not-restorable" ? "not restorable" : outcome}, ${why}`,
    forward: "Undo this: /redo",
    forwardAgain: "Undo this: /redo list",
  },
  label: {
    pick: "Label which checkpoint?",
    title: (number: number) => `Label for #${number} (empty to remove)`,
  },
  diff: {
    usage: "/diff takes up to two checkpoint numbers: /diff, /diff 12, /diff 12 15",
    looking: "Comparing files",
    since: (number: number) => `Since checkpoint #${number}`,
    between: (from: number, to: number) => `From checkpoint #${from} to #${to}`,
    same: (title: string) => `${title}: no files differ.`,
  },
  tree: {
    title: "Session tree",
    none: "Nothing here.",
    head: "you are here",
    beginning: "Beginning of the session",
    wordless: "(an image)",
    end: (by: "rewind" | "redo" | "backtrack", to: number | undefined, entries: number) => {
      const verbs = { rewind: "rewound", redo: "left by a redo", backtrack: "backtracked" } as const;
      const where = to === undefined || by === "backtrack" ? "" : ` to #${to}`;
      return `${verbs[by]}${where} from here (${counted(entries, "entry", "entries")})`;
    },
    noPlace: "This row has no checkpoint. Choose the row above or below it.",
    hereAlready: "You are here.",
    noLabel: "Only checkpoints can be labeled. Choose a row with a number.",
    forking: "Forking",
    forked: (session: string) =>
      `Now in the fork ${session}. The original session is unchanged; /resume returns to it`,
  },
  permission: {
    title: (tool: string) => `Allow ${tool}?`,
    bySubAgent: (title: string) => `${title} (requested by a sub-agent)`,
    why: (why: string) => `Needs permission: ${why}`,
    once: "Yes, once",
    session: (rule: string) => `Yes, for this session: ${rule}`,
    no: "No",
    noBecause: "No, and tell the agent what to do instead",
    onceUnread: "Yes, once (read it all first: Ctrl+E)",
    sessionUnread: "Yes, for this session (read the rule first: Ctrl+E)",
    rule: (rule: string) => `Rule for this session: ${rule}`,
    runs: (programs: string) => `Runs: ${programs}`,
    host: (host: string) => `Host: ${host}`,
    cannot: (why: string) => `This would fail: ${why}`,
    without: {
      "not-text": "No diff: the file is not text.",
      "too-different": "No diff: too much of the file would change.",
      unknown: "No diff: the change cannot be computed in advance.",
    },
    reasonKeys: "What should the agent do instead? Enter send · Esc back",
    moreLines: (count: number) => `⋯ ${counted(count, "more line", "more lines")}: Ctrl+E`,
  },
  /** Text shown in place of a long run of blanks. */
  blanks: {
    spaces: (count: number) => `⋯ ${count} spaces ⋯`,
    blanks: (count: number) => `⋯ ${count} blank characters ⋯`,
    lines: (count: number) => `⋯ ${count} blank lines ⋯`,
  },
  questions: {
    title: (header: string) => `The agent asks: ${header}`,
    own: "Something else (type your answer)",
    ownKeys: "Type your answer. Enter confirm · Esc back",
  },
  plan: {
    title: "Carry out this plan?",
    manual: "Yes, and ask before each change",
    acceptEdits: "Yes, edit files without asking",
    auto: "Yes, do everything without asking",
    no: "No, and say what to change",
    noKeys: "What should change? Enter send · Esc back",
  },
  sessions: {
    title: "Sessions in this workspace",
    titleAll: "Sessions in all workspaces",
    looking: "Loading sessions",
    none: "No sessions found.",
    held: "(open elsewhere)",
    here: "(this one)",
    messages: (count: number) => counted(count, "message", "messages"),
    alreadyHere: "This session is already open.",
    opening: (title: string) => `Opening ${title}`,
    unconfirmed: "(unconfirmed)",
    confirmQuestion: (title: string) => `Continue "${title}", which was created elsewhere?`,
    confirmYes: "Yes, in this folder",
    confirmNo: "No",
    deleteQuestion: (title: string) => `Delete "${title}"?`,
    deleteAbout: "The session stays in the trash for 30 days.",
    deleteYes: "Yes, move it to the trash",
    deleteNo: "No",
    deleted: (title: string, session: string) =>
      `Moved "${title}" to the trash, where it stays for 30 days. To restore it: worldline sessions undelete ${session}`,
  },
  crash: {
    title: (step: number) => `The last turn was interrupted at step ${step}`,
    calls: "Started but not finished; may or may not have taken effect:",
    call: (name: string, about: string) => `  ${name} ${about}`,
    noCalls: "No tool call was running.",
    continue: "Continue",
    continueMeans: "from the last completed step; unfinished calls are reported, not run again",
    retry: "Retry the step",
    retryMeans: "asks the model again from the start of the step",
    rewindFiles: (number: number) => `Restore the files from before the step (#${number})`,
    rewindFilesMeans: "shows a preview first",
    leave: "Leave it",
    leaveMeans: "does nothing; you will not be asked again",
  },
  models: {
    title: "Model",
    none: "No models found.",
    current: "(in use)",
    window: (tokens: string) => `${tokens} window`,
    noKey: "needs a key",
    chosen: (name: string) => `Using ${name} from the next prompt on.`,
    remembered: (name: string) => `Using ${name} from the next prompt on, and in new sessions.`,
  },
  settings: {
    title: "Settings",
    none: "No settings found.",
    from: (source: string) =>
      `Source of the current value: ${source}. Your change is saved in your user settings.`,
  },
  connect: {
    title: "Which provider?",
    lookingForOllama: "Looking for Ollama on this machine",
    ollamaFound: "Ollama is running on this machine. Use it?",
    ollamaModels: (named: string, more: number) =>
      more > 0 ? `It has ${named} and ${more} more.` : `It has ${named}.`,
    useOllama: "Yes",
    useOther: "No, another provider",
    whichOllama: "Which model?",
    hasKey: (variable: string) => `${variable} is set`,
    wantsKey: (variable: string) => `needs a key (or ${variable})`,
    keyTitle: (provider: string) => `Key for ${provider}`,
    keyAbout: (variable: string) =>
      `The key is stored in a file that only you can read. Alternatively, cancel and set ${variable} in your environment.`,
    connectedLocal: (name: string) =>
      `Connected: ${name}. Saved as the "model" setting; change it with /model.`,
    connecting: (provider: string) => `Connecting to ${provider}`,
    connected: (name: string) => `Connected: ${name}`,
  },
  trust: {
    title: (folder: string) => `Trust the config of ${folder}?`,
    about: "Until you trust it, Worldline ignores:",
    no: "No, continue without it",
    noMeans: "it is ignored",
    yes: "Yes, trust it",
    yesMeans: "until it changes",
    unread: "Yes (read it all first: Ctrl+E)",
    changed: "The config changed before you answered, so nothing was trusted. Review it again.",
    trusted: "Trusted. The config takes effect now.",
  },
  auto: {
    title: "Use auto mode in this session?",
    about: [
      "The agent can then do the following without asking: run any command (such as git push, rm or npm install) with your permissions and network access, change files in the workspace, open web pages, and call MCP tools.",
      "The agent still asks about calls that name a path outside the workspace, and about .git, .worldline, .envrc and .mcp.json. Your deny and ask rules still apply.",
    ],
    yes: "Yes, until I close this session",
    no: "No",
  },
  language: {
    title: "Language",
    /** Index of the menu row for this language. */
    own: 0,
  },
  keysHelp: {
    title: "Keys",
    rows: [
      ["Enter", "send; queue while busy"],
      ["Shift+Enter", "new line (or \\ Enter)"],
      ["Esc", "interrupt"],
      ["Esc Esc", "rewind (empty prompt)"],
      ["↑ ↓", "prompt history"],
      ["Ctrl+R", "search history"],
      ["Shift+Tab", "manual, accept edits, plan"],
      ["@", "mention a file"],
      ["!", "run a command"],
      ["/", "commands"],
      ["Ctrl+O", "expand calls and thinking"],
      ["Ctrl+T", "todos"],
      ["Ctrl+G", "external editor"],
      ["Ctrl+V", "paste an image"],
      ["PgUp PgDn", "scroll"],
      ["Ctrl+C", "interrupt; twice to quit"],
      ["Ctrl+D", "quit (empty prompt)"],
    ] as readonly (readonly [key: string, does: string])[],
  },
  context: {
    used: (used: string, window: string, percent: number) =>
      `Context: ${used} of ${window} tokens (${percent}%)`,
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
