import { parseRule } from "../../../agent/permissions/rules.ts";
import {
  type AgentRequest,
  type HostName,
  hostNames,
  type ResumeRequest,
} from "../../../app/agent/agent-request.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { Frame } from "../../command/frame.ts";
import type { OptionValues } from "../../command/parameters.ts";
import type { agentOptions } from "./options.ts";

/** What the user wants of the agent, as the command line says it. */
export interface Wish extends AgentRequest {
  /** Absent when a turn that was cut goes on. */
  readonly prompt?: string;
  /** Whether it answers once and leaves. */
  readonly print: "yes" | "no";
  readonly outputFormat: OutputFormat;
}

export type OutputFormat = "text" | "json" | "stream-json";

type Options = OptionValues<typeof agentOptions>;

/** Reads the wish, or says what in it contradicts itself. */
export function wishOf(options: Options, { common }: Pick<Frame, "common">): Wish {
  const host = hostOf(options);
  const resume = resumeWishOf(options, common.session);
  refuseContradictions(options, resume);
  if (options.maxSteps === 0) throw noSteps();
  return {
    print: options.print ? "yes" : "no",
    outputFormat: formatOf(options, common.json),
    ...(options.model === undefined ? {} : { model: filled("--model", options.model) }),
    ...(options.permissionMode === undefined ? {} : { mode: options.permissionMode }),
    allow: options.allow.map((rule) => readable("--allow", rule)),
    deny: options.deny.map((rule) => readable("--deny", rule)),
    ...(options.maxSteps === undefined ? {} : { maxSteps: options.maxSteps }),
    resume,
    fork: options.fork ? "yes" : "no",
    ...(host === undefined ? {} : { host }),
    keepSession: options.noSession ? "no" : "yes",
  };
}

function hostOf({ host }: Options): HostName | undefined {
  if (host === undefined) return undefined;
  const found = hostNames.find((name) => name === host);
  if (found === undefined) throw hostUnknown(host);
  return found;
}

function formatOf({ outputFormat = "text" }: Options, json: boolean): OutputFormat {
  return outputFormat === "text" && json ? "json" : outputFormat;
}

function resumeWishOf(options: Options, session: string | undefined): ResumeRequest {
  const wanted = options.resume?.value;
  if (wanted !== undefined) {
    if (session !== undefined && session !== wanted) throw contradiction("-r", "--session");
    return { how: "resume", wanted: filled("--resume", wanted) };
  }
  if (session !== undefined) return { how: "resume", wanted: session };
  if (options.resume !== undefined) return { how: "resume" };
  return { how: options.continue ? "continue" : "new" };
}

function refuseContradictions(options: Options, resume: ResumeRequest): void {
  if (options.continue && resume.how === "resume") throw contradiction("-c", "-r");
  if (options.noSession && resume.how === "continue") throw contradiction("--no-session", "-c");
  if (options.noSession && resume.how === "resume") throw contradiction("--no-session", "-r");
  if (options.fork && resume.how === "new") {
    throw new WorldlineError("fork-of-nothing", {});
  }
}

function contradiction(one: string, other: string): WorldlineError {
  return new WorldlineError("options-contradict", { one, other });
}

/** An empty value is a variable that was not set, and never a wish. */
function filled(option: string, value: string): string {
  if (value.trim() !== "") return value;
  throw new WorldlineError("option-empty", { option });
}

/** What was typed is bad input; the same in a file is a bad setting. */
function readable(option: string, rule: string): string {
  const parsed = parseRule(filled(option, rule));
  if ("rule" in parsed) return rule;
  throw new WorldlineError("option-not-a-rule", { option, rule, problem: parsed.problem });
}

function hostUnknown(host: string): WorldlineError {
  return new WorldlineError("host-unknown", { host });
}

function noSteps(): WorldlineError {
  return new WorldlineError("no-steps-allowed", {});
}
