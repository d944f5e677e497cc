/**
 * Why a tool call needs permission, is denied, or was not started. A reason is a code with parameters, which the
 * catalogues render. Codes are written to the log, so they are never renamed.
 */
export type CallReason =
  | { readonly code: "denied-by-rule"; readonly rule: string }
  | { readonly code: "asked-by-rule"; readonly rule: string }
  | { readonly code: "plan-mode" }
  | { readonly code: "mode-asks-files"; readonly mode: string }
  | { readonly code: "mode-asks-commands"; readonly mode: string }
  | { readonly code: "mode-asks-tool"; readonly mode: string; readonly tool: string }
  | { readonly code: "outside-workspace"; readonly path: string }
  /** `name`: the part of the path that can make programs run code, such as `.git`. */
  | { readonly code: "protected-path"; readonly name: string }
  | { readonly code: "too-many-commands" }
  | { readonly code: "network"; readonly url: string }
  | { readonly code: "mcp-tool" }
  /** Declined by the user. */
  | { readonly code: "declined" }
  /** Declined because the program that runs the agent does not answer permission requests. */
  | { readonly code: "declined-by-program" }
  /** `words`: the answer from the user, or from a program that answers for the user. */
  | { readonly code: "said"; readonly words: string }
  /** Denied because print mode cannot ask for permission. */
  | { readonly code: "nobody-to-ask" }
  | { readonly code: "nobody-to-approve" }
  | { readonly code: "plan-keeps-files" }
  /** The call would fail in any case, so the user was not asked. */
  | { readonly code: "would-fail" }
  | { readonly code: "malformed-input" }
  | NotStarted
  | CutShort
  | HostReason;

/** Reasons why a call never started. */
type NotStarted =
  /** The turn was interrupted before the call started. */
  | { readonly code: "not-started-interrupted" }
  /** The program was killed before the call started. */
  | { readonly code: "not-started-cut" }
  /** The start of the call could not be written to the log. */
  | { readonly code: "not-started-unwritten" }
  /** The reply that contained the call was not written to the log. */
  | { readonly code: "not-started-unrecorded" };

/** The program was killed while the user's command ran. */
type CutShort = { readonly code: "effect-unknown" };

/** Reasons that apply only to another agent's tools. */
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

/** Renders a reason. Returns undefined for an unknown reason, which a newer version may have written to the log. */
export function callReasonText(
  texts: CallReasonTexts,
  reason: { readonly code: string },
): string | undefined {
  if (!Object.hasOwn(texts, reason.code)) return undefined;
  // Each code has its own parameters, which the type of a table with all codes cannot express.
  return (texts[reason.code as Code] as (given: unknown) => string)(reason);
}

/**
 * The reasons as models read them. The log stores the text that was sent to the model, so rewording a reason does not
 * change earlier contexts.
 */
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
  "search-finds-denied": () => "a search of a folder can also find files that a rule denies",
  "outlives-turn": () => "it keeps running after the turn ends",
  "beyond-session": () => "it affects more than this session",
  "works-elsewhere": ({ where }) => `it works outside this workspace: ${where}`,
  "main-agent-only": () => "only the main agent can leave plan mode",
  "user-sets-mode": () =>
    "the user chooses the mode here. If a plan is wanted first, write it as your answer and end the turn",
  "folder-is-fixed": () => "the agent stays in this folder",
  "user-starts-turns": () => "only the user can start a turn here",
};

/**
 * The reasons as users read them, where the wording differs. They address the user, and are shown after "Needs
 * permission:" or "Denied:".
 */
export const callReasons: CallReasonTexts = {
  ...callReasonsInEnglish,
  "denied-by-rule": ({ rule }) => `the rule ${rule} denies it`,
  "asked-by-rule": ({ rule }) => `required by the rule ${rule}`,
  "protected-path": ({ name }) =>
    `${name} can make programs run, so changes to it need permission in every mode`,
  "too-many-commands": () => "it contains too many commands to check",
  network: ({ url }) => `network access: ${url}`,
  "nobody-to-approve": () => "Print mode cannot ask you to approve a plan, so nothing was changed.",
  "would-fail": () => "You were not asked, because the change would fail.",
  "not-started-cut": () => "Not started: Worldline was stopped first.",
  "host-guard": ({ said }) => `protected by Claude Code: ${said}`,
  "search-finds-denied": () => "a search of this folder would also find files that a rule denies",
  "outlives-turn": () => "it continues after the turn ends",
  "beyond-session": () => "it has effects outside this session",
  "plan-mode": () => "plan mode: nothing may be changed or run until a plan is approved",
  declined: () => "You declined.",
  "user-sets-mode": () => "you choose the mode, not the agent",
  "user-starts-turns": () => "only you can start a turn",
};
