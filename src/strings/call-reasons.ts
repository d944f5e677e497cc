/**
 * Why a tool call needs permission, is denied or was not started: a code with parameters, which the catalogues render.
 * It is written to the log, so a code is never renamed.
 */
export type CallReason =
  | { readonly code: "denied-by-rule"; readonly rule: string }
  | { readonly code: "asked-by-rule"; readonly rule: string }
  | { readonly code: "plan-mode" }
  | { readonly code: "mode-asks-files"; readonly mode: string }
  | { readonly code: "mode-asks-commands"; readonly mode: string }
  | { readonly code: "mode-asks-tool"; readonly mode: string; readonly tool: string }
  | { readonly code: "outside-workspace"; readonly path: string }
  /** `name`: the part of the path that makes programs run code from it, such as `.git`. */
  | { readonly code: "protected-path"; readonly name: string }
  | { readonly code: "too-many-commands" }
  | { readonly code: "network"; readonly url: string }
  | { readonly code: "mcp-tool" }
  /** Declined by the user. */
  | { readonly code: "declined" }
  /** Declined because the program that runs the agent does not answer permission requests. */
  | { readonly code: "declined-by-program" }
  /** The words of the user, or of a program that answers in their place. */
  | { readonly code: "said"; readonly words: string }
  /** In print mode. */
  | { readonly code: "nobody-to-ask" }
  | { readonly code: "nobody-to-approve" }
  | { readonly code: "plan-keeps-files" }
  /** The call would fail in any case, so the user was not asked. */
  | { readonly code: "would-fail" }
  | { readonly code: "malformed-input" }
  | NotStarted
  | CutShort
  | HostReason;

/** Why a call never started. */
type NotStarted =
  /** The turn was interrupted before. */
  | { readonly code: "not-started-interrupted" }
  /** The program was killed before. */
  | { readonly code: "not-started-cut" }
  /** Its start could not be written to the log. */
  | { readonly code: "not-started-unwritten" }
  /** The reply with the call was not written to the log. */
  | { readonly code: "not-started-unrecorded" };

/** The program was killed while a command of the user ran. */
type CutShort = { readonly code: "effect-unknown" };

/** Reasons about the tools of another agent. */
type HostReason =
  | { readonly code: "host-guard"; readonly said: string }
  | { readonly code: "search-finds-denied" }
  | { readonly code: "outlives-turn" }
  | { readonly code: "beyond-session" }
  | { readonly code: "works-elsewhere"; readonly where: string }
  | { readonly code: "main-agent-only" }
  | { readonly code: "user-sets-mode" }
  | { readonly code: "folder-is-fixed" }
  | { readonly code: "user-starts-turns" };

type Code = CallReason["code"];

/** The texts of all reasons in one language. */
export type CallReasonTexts = {
  readonly [Each in Code]: (reason: Extract<CallReason, { readonly code: Each }>) => string;
};

/** Undefined for a reason that this version does not know, from the log of a newer one. */
export function callReasonText(
  texts: CallReasonTexts,
  reason: { readonly code: string },
): string | undefined {
  if (!Object.hasOwn(texts, reason.code)) return undefined;
  // The parameters belong to the code, which the type of a table with all codes cannot express.
  return (texts[reason.code as Code] as (given: unknown) => string)(reason);
}

/** The texts for models. The log stores what a model was told, so rewording one changes no earlier context. */
export const callReasonsInEnglish: CallReasonTexts = {
  "denied-by-rule": ({ rule }) => `it is denied by the rule ${rule}`,
  "asked-by-rule": ({ rule }) => `required by the rule ${rule}`,
  "plan-mode": () =>
    "plan mode: nothing may be changed or run until a plan is approved. Explore, then show the plan with ExitPlanMode",
  "mode-asks-files": ({ mode }) => `${mode} mode asks before files are changed`,
  "mode-asks-commands": ({ mode }) => `${mode} mode asks before commands are run`,
  "mode-asks-tool": ({ mode, tool }) => `${mode} mode asks before ${tool} is used`,
  "outside-workspace": ({ path }) => `outside the workspace: ${path}`,
  "protected-path": ({ name }) =>
    `${name} can make programs run, so changing it needs permission in every mode`,
  "too-many-commands": () => "it contains more commands than can be checked",
  network: ({ url }) => `it accesses the network: ${url}`,
  "mcp-tool": () => "it is an MCP tool",
  declined: () => "The user declined.",
  "declined-by-program": () => "The program that runs this agent declined.",
  said: ({ words }) => words,
  "nobody-to-ask": () => "Print mode cannot ask for permission.",
  "nobody-to-approve": () => "A plan cannot be approved in print mode, so nothing was changed.",
  "plan-keeps-files": () => "Files cannot be restored in plan mode.",
  "would-fail": () => "The user was not asked, because the change would fail.",
  "malformed-input": () => "Its arguments are not a JSON object, or are nested too deeply.",
  "not-started-interrupted": () => "Not started: the turn was interrupted first.",
  "not-started-cut": () => "Not started: the program was stopped first.",
  "not-started-unwritten": () => "Not started: its start could not be written to the session's log.",
  "not-started-unrecorded": () => "Not started: the reply that requested it did not reach the session's log.",
  "effect-unknown": () => "Interrupted; it is not known whether it took effect.",
  "host-guard": ({ said }) => `Claude Code protects it: ${said}`,
  "search-finds-denied": () => "a search of a folder can also find what a rule denies reading",
  "outlives-turn": () => "it keeps running after the turn ends",
  "beyond-session": () => "it affects more than this session",
  "works-elsewhere": ({ where }) => `it works outside this workspace: ${where}`,
  "main-agent-only": () => "only the main agent can leave plan mode",
  "user-sets-mode": () =>
    "the user chooses the mode here. If a plan is wanted first, write it as your answer and end the turn",
  "folder-is-fixed": () => "the agent stays in this folder",
  "user-starts-turns": () => "only the user can start a turn here",
};

/** The texts for users, where they differ: they address the user, and are shown after "Needs permission:" or "Denied:". */
export const callReasons: CallReasonTexts = {
  ...callReasonsInEnglish,
  "denied-by-rule": ({ rule }) => `the rule ${rule} denies it`,
  "asked-by-rule": ({ rule }) => `required by the rule ${rule}`,
  "protected-path": ({ name }) =>
    `${name} can make programs run, so changes to it need permission in every mode`,
  "too-many-commands": () => "it contains too many commands to check",
  network: ({ url }) => `network access: ${url}`,
  "mcp-tool": () => "it is a tool of an MCP server",
  "nobody-to-approve": () => "Print mode cannot ask you to approve a plan, so nothing was changed.",
  "would-fail": () => "You were not asked, because the change would fail.",
  "not-started-cut": () => "Not started: the turn was cut off first.",
  "host-guard": ({ said }) => `protected by Claude Code: ${said}`,
  "search-finds-denied": () => "a search of this folder also finds files that a rule denies",
  "outlives-turn": () => "it continues after the turn ends",
  "beyond-session": () => "it has effects outside this session",
  "plan-mode": () => "plan mode: nothing may be changed or run until a plan is approved",
  declined: () => "You declined.",
  "user-sets-mode": () => "you choose the mode, not the agent",
  "user-starts-turns": () => "only you can start a turn",
};
