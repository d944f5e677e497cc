import { userHome } from "../../disk/folders.ts";
import type { PermissionMode, PermissionRequest } from "../../ports/person.ts";
import { type CallReason, callReasonInEnglish } from "../../record/call-reason.ts";
import {
  allowsCommand,
  meetsCommand,
  outsideOf,
  protectedOf,
  type SeenCommand,
  seeCommand,
  strengthOf,
} from "./commands.ts";
import { isAbout, isExactly, matchesPath, matchesUrl } from "./matching.ts";
import { isInside, type PathContext, protectedPart } from "./places.ts";
import { type RuleRequest, ruleFor } from "./rule-for.ts";
import type { Reach } from "./rules.ts";
import { parseRule, type Rule, type Rules, requireRule, type Subject } from "./rules.ts";
import type { CommandPlan } from "./unasked/plan.ts";

export interface DecideRequest {
  readonly tool: string;
  readonly reach: Reach;
  readonly subjects: readonly Subject[];
  readonly mode: PermissionMode;
  readonly rules: Rules;
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The rules that the user granted for this session. */
  readonly granted: readonly string[];
  /** The folder that `~` stands for. The default is the user's home folder. */
  readonly home?: string;
}

export type Decision =
  /**
   * `plan` is present if the individual commands in a line were allowed, but not the line itself. In that case, run the
   * plan and do not pass the text to a shell.
   */
  | { readonly decision: "allow"; readonly plan?: CommandPlan }
  /** `rule` is the rule that would be added if the user chose "always". */
  | {
      readonly decision: "ask";
      readonly reason: CallReason;
      /** The reason in English. */
      readonly why: string;
      readonly rule: string;
      readonly help: PermissionRequest["help"];
    }
  | { readonly decision: "deny"; readonly reason: CallReason; readonly why: string };

type CommandSubject = Extract<Subject, { kind: "command" }>;

function denied(reason: CallReason): Decision {
  return { decision: "deny", reason, why: callReasonInEnglish(reason) };
}

function asked(reason: CallReason, by: Pick<PermissionRequest, "rule" | "help">): Decision {
  return { decision: "ask", reason, why: callReasonInEnglish(reason), ...by };
}

/** Everything needed for a decision, parsed once. */
interface DecisionContext {
  readonly request: DecideRequest;
  readonly subjects: readonly Subject[];
  readonly pathContext: PathContext;
  /** Parses each command line only once, regardless of how many rules there are. */
  readonly see: (subject: CommandSubject) => SeenCommand;
  /** Includes the rules granted for this session. */
  readonly allow: readonly Rule[];
  readonly granted: ReadonlySet<string>;
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
}

/**
 * Decides whether a call may run. Applies, in this order: deny rules, plan mode, ask rules, allow rules and session
 * grants, and the mode. Ask rules do not apply if this exact call was allowed for the session. Pure: it reads nothing
 * from disk.
 */
export function decide(request: DecideRequest): Decision {
  const context = contextOf(request);
  return (
    deniedByRule(context) ??
    deniedByPlan(context) ??
    askedByRule(context) ??
    askedForSubject(context) ??
    allowed(context)
  );
}

/**
 * Allows a call. A command line that a rule or the mode allows as a whole runs exactly as it was written. If only the
 * individual commands in a line are allowed, the plan runs instead.
 */
function allowed({ subjects, allow, pathContext, see, ...context }: DecisionContext): Decision {
  const [command, ...more] = subjects.filter(({ kind }) => kind === "command");
  if (command?.kind !== "command" || more.length > 0 || context.request.tool !== "Bash")
    return { decision: "allow" };
  const seen = see(command);
  const paths = sealOf(context);
  const isPlanned = allowsCommand(allow, seen, { pathContext, paths }) === "as planned";
  return isPlanned && seen.plan !== undefined
    ? { decision: "allow", plan: seen.plan }
    : { decision: "allow" };
}

function contextOf(request: DecideRequest): DecisionContext {
  const { workspace, home = userHome(), rules } = request;
  const granted = request.granted.flatMap(readableRule);
  return {
    request,
    subjects: request.subjects.length === 0 ? [{ kind: "tool" }] : request.subjects,
    pathContext: { workspace, home },
    see: seeOnce(),
    allow: [...rules.allow.map(requireRule), ...granted],
    granted: new Set(granted.map(({ text }) => text)),
    ask: rules.ask.map(requireRule),
    deny: rules.deny.map(requireRule),
  };
}

function seeOnce(): DecisionContext["see"] {
  const seen = new Map<string, SeenCommand>();
  return ({ command, plan }) => {
    const known = seen.get(command) ?? seeCommand(command, plan);
    seen.set(command, known);
    return known;
  };
}

/** Parses a stored rule. A rule that cannot be parsed allows nothing, but must not stop the turn. */
function readableRule(text: string): Rule[] {
  const parsed = parseRule(text);
  return "rule" in parsed ? [parsed.rule] : [];
}

function deniedByRule(context: DecisionContext): Decision | undefined {
  for (const subject of context.subjects) {
    const rule = context.deny.find((each) => narrows(each, subject, context) === "deny");
    if (rule !== undefined) return denied({ code: "denied-by-rule", rule: rule.text });
  }
  return undefined;
}

function deniedByPlan({ request }: DecisionContext): Decision | undefined {
  const reason = whyNotInPlan(request);
  return reason && denied(reason);
}

/** Returns the reason why plan mode denies the call, regardless of what the rules and the user have allowed. */
export function whyNotInPlan({ mode, reach }: Pick<DecideRequest, "mode" | "reach">): CallReason | undefined {
  if (mode !== "plan" || reach === "nothing" || reach === "reads") return undefined;
  return { code: "plan-mode" };
}

/** Asks the user if an ask rule applies, or if a deny rule might apply to a command. */
function askedByRule(context: DecisionContext): Decision | undefined {
  for (const subject of context.subjects) {
    const exact = ruleOf(context, subject, "exact");
    if (context.granted.has(exact)) continue;
    const denying = context.deny.filter((rule) => narrows(rule, subject, context) !== undefined);
    const asking = context.ask.filter((rule) => narrows(rule, subject, context) !== undefined);
    const open = [...denying, ...asking.filter(({ text }) => !context.granted.has(text))];
    const [first] = open;
    if (first === undefined) continue;
    // A rule that allows more than this subject must not override a rule that names this exact subject.
    const usual = ruleOf(context, subject, "usual");
    const rule = open.every(({ text }) => text === usual) ? usual : exact;
    return asked({ code: "asked-by-rule", rule: first.text }, { rule, help: "none" });
  }
  return undefined;
}

function askedForSubject(context: DecisionContext): Decision | undefined {
  for (const subject of context.subjects) {
    const reason = whyAsk(context, subject, context.request.mode);
    if (reason === undefined) continue;
    const isMode = context.subjects.every((each) => whyAsk(context, each, "auto") === undefined);
    // A reason that applies in every mode takes precedence, because changing the mode would not help.
    const lasting = whyAsk(context, subject, "auto") ?? reason;
    return asked(lasting, { rule: ruleOf(context, subject, "usual"), help: isMode ? "mode" : "rule" });
  }
  return undefined;
}

/**
 * Returns the reason why this mode requires permission for a subject, or undefined if it does not, or if a rule allows
 * it.
 */
function whyAsk(context: DecisionContext, subject: Subject, mode: PermissionMode): CallReason | undefined {
  if (isAllowedByRule(context, subject)) return undefined;
  const { request, pathContext, see } = context;
  return whyAskInMode({ ...request, mode, subject, pathContext, see });
}

/**
 * Returns the rule that would allow the call next time. For a link's target, this is a rule for the exact command that
 * names the link.
 */
function ruleOf(
  { request, subjects, pathContext }: DecisionContext,
  subject: Subject,
  extent: RuleRequest["extent"],
): string {
  const { tool } = request;
  const command = isLedTo(tool, subject) ? subjects.find(({ kind }) => kind === "command") : undefined;
  return command === undefined
    ? ruleFor({ tool, subject, pathContext, extent })
    : ruleFor({ tool, subject: command, pathContext, extent: "exact" });
}

/**
 * Checks whether the subject is the target of a link that a command names. Such a target is checked as if Read were
 * called with it.
 */
function isLedTo(tool: string, subject: Subject): subject is Extract<Subject, { kind: "path" }> {
  return tool === "Bash" && subject.kind === "path";
}

/** Checks whether a deny or ask rule applies to the subject, and if so, whether it denies or asks. */
function narrows(
  rule: Rule,
  subject: Subject,
  { request, pathContext, see }: DecisionContext,
): "deny" | "ask" | undefined {
  if (subject.kind === "command" && request.tool === "Bash") {
    const command = see(subject);
    return meetsCommand(rule, command, pathContext) ? strengthOf(rule, command, pathContext) : undefined;
  }
  if (isLedTo(request.tool, subject)) {
    const isAboutIt = isAbout(rule, "Read") || (subject.access === "write" && isAbout(rule, "Edit"));
    return rule.pattern.kind === "path" && isAboutIt && isMet(rule, subject, pathContext)
      ? "deny"
      : undefined;
  }
  if (!isAbout(rule, request.tool)) return undefined;
  return isMet(rule, subject, pathContext) ? "deny" : undefined;
}

function isMet({ pattern }: Rule, subject: Subject, pathContext: PathContext): boolean {
  if (pattern.kind === "any") return true;
  if (subject.kind === "path") return matchesPath(pattern, subject.path, pathContext);
  return subject.kind === "url" && matchesUrl(pattern, subject.url, "narrowing");
}

function isAllowedByRule(context: DecisionContext, subject: Subject): boolean {
  const { request, pathContext } = context;
  if (isLedTo(request.tool, subject) && isExactlyAllowed(context)) return true;
  const tool = toolOf(request.tool, subject);
  const rules = context.allow.filter((rule) => isAbout(rule, tool));
  switch (subject.kind) {
    case "path":
      return rules.some(
        ({ pattern }) =>
          matchesPath(pattern, subject.path, pathContext) && names(pattern, subject.path, pathContext),
      );
    case "command":
      return (
        allowsCommand(rules, context.see(subject), { pathContext, paths: sealOf(context) }) !== undefined
      );
    case "url":
      return rules.some(({ pattern }) => matchesUrl(pattern, subject.url, "allowing"));
    case "tool":
      return rules.some(({ tool: named, pattern }) => pattern.kind === "any" && vouches(request, named));
    default:
      return subject satisfies never;
  }
}

/**
 * Returns the tool that rules must allow: Edit or Read for the target of a link that a command names, otherwise the
 * tool itself.
 */
function toolOf(tool: string, subject: Subject): string {
  if (!isLedTo(tool, subject)) return tool;
  return subject.access === "write" ? "Edit" : "Read";
}

/**
 * Checks whether a rule is specific enough to allow the tool in this mode. In plan mode, a rule must name the tool
 * itself, because a rule for a whole MCP server does not guarantee that each of its tools is read-only.
 */
function vouches({ mode, tool }: DecideRequest, named: string): boolean {
  return mode !== "plan" || named === tool;
}

function isExactlyAllowed({ subjects, allow }: DecisionContext): boolean {
  return subjects.some(
    (subject) =>
      subject.kind === "command" && allow.some(({ pattern }) => isExactly(pattern, subject.command)),
  );
}

/**
 * Checks whether the pattern names the path. A path that always needs permission is allowed only by a rule that names
 * it, not by a rule for everything.
 */
function names(pattern: Rule["pattern"], path: string, pathContext: PathContext): boolean {
  if (!isInside(pathContext, path)) return pattern.kind === "path" && pattern.from !== "workspace";
  const part = protectedPart(pathContext, path);
  return (
    part === undefined || (pattern.kind === "path" && pattern.glob.toLowerCase().includes(part.toLowerCase()))
  );
}

/** Returns "sealed" if a rule forbids reading some paths or requires permission to read them. */
function sealOf({ deny, ask }: Pick<DecisionContext, "deny" | "ask">): "open" | "sealed" {
  return [...deny, ...ask].some((rule) => isAbout(rule, "Read")) ? "sealed" : "open";
}

interface ModeQuestion {
  readonly tool: string;
  readonly reach: Reach;
  readonly mode: PermissionMode;
  readonly subject: Subject;
  readonly pathContext: PathContext;
  readonly see: (subject: CommandSubject) => SeenCommand;
}

/**
 * Returns the reason why the mode requires permission for a subject, or undefined if it does not. Called for subjects
 * that neither a rule nor the list of read-only commands covers.
 */
function whyAskInMode(question: ModeQuestion): CallReason | undefined {
  const { subject } = question;
  switch (subject.kind) {
    case "path":
      return whyAskAboutPath(question, subject);
    case "command":
      return whyAskAboutCommand(question, subject);
    case "url":
      return question.mode === "auto" ? undefined : { code: "network", url: subject.url };
    case "tool":
      return whyAskAboutTool(question);
    default:
      return subject satisfies never;
  }
}

function whyAskAboutPath(
  { tool, mode, pathContext }: ModeQuestion,
  { path, access }: Extract<Subject, { kind: "path" }>,
): CallReason | undefined {
  if (!isInside(pathContext, path)) return { code: "outside-workspace", path };
  if (access === "read") return undefined;
  const part = protectedPart(pathContext, path);
  if (part !== undefined) return { code: "protected-path", name: part };
  // For a command, the question about the command itself covers its effects on other files.
  return mode === "accept-edits" || mode === "auto" || tool === "Bash"
    ? undefined
    : { code: "mode-asks-files", mode };
}

function whyAskAboutCommand(
  { mode, pathContext, see }: ModeQuestion,
  subject: CommandSubject,
): CallReason | undefined {
  const command = see(subject);
  const outside = outsideOf(pathContext, command);
  if (outside !== undefined) return { code: "outside-workspace", path: outside.word };
  if (command.whole === "no") return { code: "too-many-commands" };
  if (mode !== "auto") return { code: "mode-asks-commands", mode };
  const part = protectedOf(pathContext, command);
  return part === undefined ? undefined : { code: "protected-path", name: part };
}

/**
 * Returns the reason why the mode requires permission to call a tool. A server's own description of its tools is not
 * trusted.
 */
function whyAskAboutTool({ tool, reach, mode }: ModeQuestion): CallReason | undefined {
  // Each of a sub-agent's own calls needs separate permission.
  if (mode === "auto" || reach === "nothing" || tool === "Task") return undefined;
  if (tool.startsWith("mcp__")) return { code: "mcp-tool" };
  return reach === "reads" ? undefined : { code: "mode-asks-tool", mode, tool };
}
