import { join, relative, sep } from "node:path";
import { type DecideRequest, type Decision, decide } from "../../../agent/permissions/decide.ts";
import { hiddenFrom } from "../../../agent/permissions/matching.ts";
import { ruleFor } from "../../../agent/permissions/rule-for.ts";
import type { Rules, Subject } from "../../../agent/permissions/rules.ts";
import { programsIn } from "../../../agent/permissions/shell/every-command.ts";
import { lookAt, placeOf } from "../../../agent/tools/files.ts";
import { oneLine } from "../../../agent/tools/text.ts";
import type { Permit } from "../../../agent/turn/calls.ts";
import { userHome } from "../../../disk/folders.ts";
import type { PermissionMode, Person } from "../../../ports/person.ts";
import { type CallReason, callReasonInEnglish } from "../../../record/call-reason.ts";
import type { Json } from "../../../record/parts.ts";
import { UNAVAILABLE_TOOLS } from "../options.ts";
import { previewOf } from "./preview.ts";
import { type SdkCall, type ToolFacts, toolFacts } from "./tool-facts.ts";

/** Everything that permission decisions depend on, including the user to ask. */
export interface PermissionContext extends KeptPlaces {
  readonly rules: Rules;
  /** Returns the rules that the user has granted for this session. */
  readonly grants: () => Promise<readonly string[]>;
  readonly person: Person;
  /** Called right before the user is asked. */
  readonly onAsk: (call: string) => void;
}

interface CallToPermit extends SdkCall {
  readonly id: string;
  /** Present if a sub-agent makes the call. */
  readonly by?: "sub-agent";
}

/** A call that the SDK requests permission for. */
export interface CallToAskAbout extends CallToPermit {
  /**
   * The SDK's reason for asking even though our hook allowed the call. The SDK guards some files regardless of hooks.
   */
  readonly guard?: string;
}

type Asking = Extract<Decision, { decision: "ask" }>;

/**
 * Decides whether an SDK call may run, using the same rules and modes as for the native agent. The hook that runs
 * before a tool calls this function.
 */
export async function decideCall(scene: PermissionContext, call: CallToPermit): Promise<Decision> {
  return decideFacts(scene, call, await toolFacts(scene.workspace, call));
}

/**
 * Decides whether to run a call that neither a rule nor the mode allowed. Asks the user, unless this is no longer
 * necessary.
 */
export async function askPerson(
  scene: PermissionContext,
  call: CallToAskAbout,
  signal: AbortSignal,
): Promise<Exclude<Permit, { permit: "fails" }>> {
  const facts = await toolFacts(scene.workspace, call);
  const decision = await decideFacts(scene, call, facts);
  if (decision.decision === "deny") return { permit: "no", why: decision.why, reason: decision.reason };
  const asking = decision.decision === "ask" ? decision : await guarded(scene, call, facts);
  if (asking === undefined) {
    const plan = decision.decision === "allow" ? decision.plan : undefined;
    return plan === undefined ? { permit: "yes" } : { permit: "yes", plan };
  }
  const change = await previewOf(scene.workspace, call, facts);
  // The SDK matches text more loosely than the preview does. For example, it treats different kinds of quotation marks
  // as equal. The user could otherwise allow a change that was not shown.
  if (change.cannot !== undefined)
    return {
      permit: "no",
      why: `the user was not asked, because ${change.cannot.why}`,
      reason: { code: "would-fail" },
    };
  const runs = facts.subjects.flatMap((subject) =>
    subject.kind === "command" ? programsIn(subject.command) : [],
  );
  scene.onAsk(call.id);
  const answer = await scene.person.allow(
    {
      call: call.id,
      tool: call.name,
      // The input came as JSON from another process.
      input: call.input as Json,
      about: facts.about,
      reason: asking.reason,
      why: asking.why,
      help: asking.help,
      rule: asking.rule,
      ...change,
      ...(runs.length === 0 ? {} : { runs }),
      ...(call.by === undefined ? {} : { by: call.by }),
    },
    signal,
  );
  if (answer.answer === "once") return { permit: "yes" };
  if (answer.answer === "session") return { permit: "yes", granted: answer.rule };
  const { reason: words, because = { code: "said", words } } = answer;
  return { permit: "no", why: words, reason: because };
}

async function decideFacts(
  scene: PermissionContext,
  call: CallToPermit,
  facts: ToolFacts,
): Promise<Decision> {
  const refusal = refusalOf(call);
  if (refusal !== undefined) return { decision: "deny", reason: refusal, why: callReasonInEnglish(refusal) };
  const request = await requestFor(scene, facts);
  const named: DecideRequest = {
    ...request,
    // The SDK's older name for this tool is also the name of our own tool, which needs no permission in any mode.
    tool: call.name === "Task" ? "Agent" : call.name,
    reach: "anything",
    subjects: [{ kind: "tool" }],
  };
  const own = decide(request);
  const decisions = [
    own,
    // Users know these tools as `NotebookEdit` and `Agent`, so rules that restrict calls can use these names.
    decide({ ...named, mode: "auto", rules: { ...scene.rules, allow: [] } }),
    ...beyondMode(named, facts),
    ...(await aboutHidden(named, facts)),
  ];
  return (
    decisions.find(({ decision }) => decision === "deny") ??
    decisions.find(({ decision }) => decision === "ask") ??
    own
  );
}

/** Returns the reason for denying a call that no rule can allow, or undefined for all other calls. */
function refusalOf({ name, by }: CallToPermit): CallReason | undefined {
  if (name === "ExitPlanMode" && by === "sub-agent") return { code: "main-agent-only" };
  return UNAVAILABLE_TOOLS.get(name);
}

async function requestFor(scene: PermissionContext, facts: ToolFacts): Promise<DecideRequest> {
  const request = await usualRequest(scene, facts);
  const { tool, subjects, rules, workspace } = request;
  const keptFor = await keptForModel(scene, subjects);
  if (keptFor === "nothing") return request;
  if (keptFor === "asked") return { ...request, mode: "manual" };
  const pathContext = { workspace, home: userHome() };
  const kept = subjects.map((subject) => ruleFor({ tool, subject, pathContext, extent: "exact" }));
  // The call is treated as if a rule allowed exactly this call. Deny and ask rules still take precedence.
  return { ...request, mode: "auto", rules: { ...rules, allow: [...rules.allow, ...kept] } };
}

async function usualRequest(
  scene: PermissionContext,
  { tool, reach, subjects, plan }: ToolFacts,
): Promise<DecideRequest> {
  const mode = scene.mode();
  return {
    tool,
    reach: mode === "plan" && plan === "may" && reach !== "nothing" ? "reads" : reach,
    subjects,
    mode,
    rules: scene.rules,
    workspace: scene.workspace,
    granted: await scene.grants(),
  };
}

/**
 * Asks about a call whose effect outlasts the turn or reaches beyond the session. Only a rule that names its tool can
 * allow such a call.
 */
function beyondMode(named: DecideRequest, { beyond }: ToolFacts): readonly Decision[] {
  if (beyond === undefined) return [];
  return askBecause(decide({ ...named, mode: "manual" }), { reason: beyond, help: "rule" });
}

/**
 * Asks about a search in a folder that may contain denied files. The SDK's searches find such files, while our own
 * searches omit them.
 */
async function aboutHidden(
  named: DecideRequest,
  { tool, subjects }: ToolFacts,
): Promise<readonly Decision[]> {
  if (tool !== "Grep" && tool !== "Glob") return [];
  const { rules, workspace } = named;
  if (hiddenFrom({ tool, deny: rules.deny, workspace }) === undefined) return [];
  const [subject] = subjects;
  if (subject?.kind !== "path" || (await lookAt(subject.path)).kind !== "folder") return [];
  const decision = decide({ ...named, mode: "manual", rules: { ...rules, allow: [] } });
  return askBecause(decision, {
    reason: { code: "search-finds-denied" },
    help: "none",
  });
}

/**
 * Asks about a file that the SDK guards. A grant allows such a file, and so does a rule that specifies more than the
 * tool's name. Otherwise, the user decides.
 */
async function guarded(
  scene: PermissionContext,
  { guard }: CallToAskAbout,
  facts: ToolFacts,
): Promise<Asking | undefined> {
  if (guard === undefined) return undefined;
  const allow = scene.rules.allow.filter((rule) => rule.includes("("));
  const request = await requestFor(scene, facts);
  const decision = decide({ ...request, mode: "manual", rules: { ...scene.rules, allow } });
  return askBecause(decision, {
    reason: { code: "host-guard", said: oneLine(guard) },
    help: "rule",
  })[0];
}

function askBecause(decision: Decision, by: Pick<Asking, "reason" | "help">): readonly Asking[] {
  return decision.decision === "ask" ? [{ ...decision, ...by, why: callReasonInEnglish(by.reason) }] : [];
}

interface KeptPlaces {
  /** The workspace's real path. */
  readonly workspace: string;
  readonly mode: () => PermissionMode;
  /** The folder where our own commands save their output. */
  readonly outputs: string;
  /** The SDK's folder (`CLAUDE_CONFIG_DIR`), which contains its plans and its stored long results. */
  readonly sdkHome: string;
  /** Returns the SDK sessions that the branch has used. */
  readonly hostSessions: () => Promise<readonly string[]>;
  /** The plan files that this agent has created. Other files in the same folder are from other sessions. */
  readonly plans: Set<string>;
}

/**
 * Whether a path is reserved for the model. "unasked": the model was instructed to use the path, so the user is not
 * asked even though the path is outside the workspace. "asked": the user can allow the path even in plan mode.
 */
type KeptFor = "unasked" | "asked" | "nothing";

async function keptForModel(places: KeptPlaces, subjects: readonly Subject[]): Promise<KeptFor> {
  const kept = await Promise.all(
    subjects.map(async (subject) => (subject.kind === "path" ? keptFor(places, subject) : "nothing")),
  );
  if (kept.length === 0 || kept.includes("nothing")) return "nothing";
  return kept.includes("asked") ? "asked" : "unasked";
}

async function keptFor(
  places: KeptPlaces,
  { path, access }: Extract<Subject, { kind: "path" }>,
): Promise<KeptFor> {
  const home = await placeOf(sep, places.sdkHome);
  if (path.startsWith(join(home, "plans") + sep)) return keptPlan(places, path, access);
  if (access === "write") return "nothing";
  const isKept = path.startsWith(places.outputs + sep) || (await isKeptResult(places, relative(home, path)));
  return isKept ? "unasked" : "nothing";
}

/**
 * Determines whether a file in the SDK's plan folder is reserved for the model. In plan mode, the model writes its plan
 * to a new file in that folder, and ExitPlanMode reads the file.
 */
async function keptPlan(
  { mode, plans }: KeptPlaces,
  path: string,
  access: "read" | "write",
): Promise<KeptFor> {
  if (mode() !== "plan" || !path.endsWith(".md")) return "nothing";
  if (plans.has(path)) return "unasked";
  if ((await lookAt(path)).kind !== "missing") return access === "write" ? "asked" : "nothing";
  if (access === "write") plans.add(path);
  return "unasked";
}

/**
 * Checks whether the path is a stored result of this session: `projects/<workspace>/<session>/tool-results/<file>`. The
 * results of other sessions and projects are stored next to it.
 */
async function isKeptResult({ workspace, hostSessions }: KeptPlaces, path: string): Promise<boolean> {
  const [projects, project = "", session = "", results, file] = path.split(sep);
  if (projects !== "projects" || results !== "tool-results" || file === undefined) return false;
  return isProjectOf(workspace, project) && (await hostSessions()).includes(session);
}

/** Maximum length of a project's folder name. The SDK truncates longer names and appends a hash. */
const MAX_NAME = 200;

function isProjectOf(workspace: string, project: string): boolean {
  const name = workspace.replaceAll(/[^A-Za-z0-9]/gu, "-");
  if (name.length <= MAX_NAME) return project === name;
  return project.startsWith(`${name.slice(0, MAX_NAME)}-`);
}
