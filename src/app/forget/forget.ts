import type { HostSession } from "../../machine/forget/other-agents.ts";
import {
  type ForgetReport,
  isNothing,
  nothingToForget,
  tryToForget,
} from "../../machine/forget/perform-forget.ts";
import { type ForgetPlan, planForget } from "../../machine/forget/plan-forget.ts";
import type { ForgettableFiles } from "../../ports/snapshot-objects.ts";
import { type AppContext, heard } from "../context.ts";
import { openSessionDeps } from "../sessions/store.ts";
import { type GivenToForget, readForgetRequest, type Searched } from "./forget-request.ts";
import { canClean, findInHome, forgetInHome, type HomeFinding } from "./in-home.ts";

const NAME = "worldline forget";

interface ForgetOptions {
  readonly given: GivenToForget;
  readonly onSearch: (state: "begun" | "ended") => void;
  /** Decides whether to forget the text or file, based on what would be removed. */
  readonly decide: (plan: PlannedForget) => Promise<"forget" | "keep">;
}

/** Everything that would be removed from sessions, snapshots and Worldline's home. */
export type PlannedForget = ForgetPlan & { readonly inHome: HomeFinding };

interface Forgotten {
  readonly plan: PlannedForget;
  readonly kept: KeptByHosts;
  /** The result; absent if the removal was only planned. */
  readonly done?: {
    readonly report: ForgetReport;
    readonly inHome: HomeFinding;
    readonly changed: boolean;
  };
}

/** Removes text, or the content of a file in tool calls and snapshots, from everything that Worldline stores. */
export async function forget(
  context: AppContext,
  { given, onSearch, decide }: ForgetOptions,
): Promise<Forgotten> {
  const { store, ...rest } = await openSessionDeps(context);
  return withForgettableFiles(context, async (files) => {
    onSearch("begun");
    const plan = await planned(context, { store, files }, given).finally(() => onSearch("ended"));
    if ((await decide(plan)) === "keep") return { plan, kept: await keptByHosts(context, plan.hostSessions) };
    const { takeOver } = context.common;
    const request = { name: NAME, waitMs: 0, takeOver, room: "reserve", files } as const;
    const report = await heard(context, async () => tryToForget({ store, ...rest }, plan.request, request));
    // The home is cleaned last, because any earlier step may refuse, and a refusal must leave everything unchanged.
    const sessions = [...report.sessions, ...report.inTrash].map(({ session }) => session);
    const inHome = await forgetInHome(searchedHome(context), plan.request, sessions);
    const changed = !isNothing(report) || canClean(inHome);
    const elsewhere = inHome.others.length + report.files.inNames;
    if (!changed && elsewhere === 0) throw nothingToForget(plan.request, report);
    return { plan, kept: await keptByHosts(context, report.hostSessions), done: { report, inHome, changed } };
  });
}

/** Checks whether nothing would be removed. The user is asked only if something would be removed. */
export function removesNothing({ findings, inTrash, files, inHome }: PlannedForget): boolean {
  return findings.length + inTrash.length + files.contents + files.labels === 0 && !canClean(inHome);
}

function searchedHome({ home, common: { store } }: AppContext) {
  return { home, store };
}

async function planned(
  context: AppContext,
  searched: Searched,
  given: GivenToForget,
): Promise<PlannedForget> {
  const request = await readForgetRequest(context, searched, given);
  const plan = await planForget(searched.store, request, searched.files);
  return { ...plan, inHome: await findInHome(searchedHome(context), request) };
}

async function withForgettableFiles<Result>(
  context: AppContext,
  work: (files: ForgettableFiles) => Promise<Result>,
): Promise<Result> {
  const { values } = await context.settings();
  const { openForgettableFiles } = await import("../../open-files.ts");
  const { home, common } = context;
  const waitMs = values["lock.waitMs"];
  const files = openForgettableFiles({ home, name: NAME, waitMs, takeOver: common.takeOver });
  try {
    return await work(files);
  } finally {
    files.close();
  }
}

/**
 * Files that belong to other agents whose sessions contained the text. Worldline must not change these files, so it
 * shows the user where they are.
 */
export interface KeptByHosts {
  readonly home: string;
  readonly sessions: readonly string[];
  readonly paths: readonly string[];
}

async function keptByHosts(context: AppContext, hostSessions: readonly HostSession[]): Promise<KeptByHosts> {
  const { keptFilesOf, sdkHome } = await import("../../hosts/claude-agent-sdk/sdk/kept-files.ts");
  const home = sdkHome(context.surroundings.environment);
  const sessions = hostSessions.filter(({ host }) => host === "claude").map(({ hostSession }) => hostSession);
  return { home, sessions, paths: await keptFilesOf(home, sessions) };
}
