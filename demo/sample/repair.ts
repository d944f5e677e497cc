import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { AgentRequest } from "../../src/app/agent/agent-request.ts";
import { headlessUser } from "../../src/app/agent/headless-user.ts";
import { startAgent } from "../../src/app/agent/start-agent.ts";
import { type AppContext, openContext } from "../../src/app/context.ts";
import { systemClock } from "../../src/disk/system-clock.ts";
import { runTest } from "../../src/finder/trials.ts";
import { FINDER_MODEL } from "../../src/finder/worker/offline-worker.ts";
import { viewSession } from "../../src/machine/open.ts";
import { callReasonInEnglish } from "../../src/record/call-reason.ts";
import type { SessionId } from "../../src/record/ids.ts";
import { openFilesStore } from "../../src/stores/files/files.ts";
import { differences, Surveyor } from "../survey.ts";
import { type Claim, claimsOf, type TrailStep, trailOf } from "./claims.ts";
import { makeSample, SAMPLE_TEST } from "./project.ts";
import { type SamplePlace, type WayContext, withBroken } from "./try-way.ts";
import type { SampleWay } from "./ways.ts";

/** The worker's repair of a broken sample, and the claims about that repair. */
export interface Repair {
  readonly way: string;
  readonly session: SessionId;
  readonly prompt: string;
  readonly test: string;
  readonly trail: readonly TrailStep[];
  readonly answer: string;
  readonly claims: readonly Claim[];
}

const TEST = SAMPLE_TEST.join(" ");
const PROMPT = `find what broke: ${TEST}`;
const TIMEOUT_MS = 60_000;

/** Equivalent to `worldline -p --model worldline/finder --permission-mode auto`. */
const request: AgentRequest = {
  model: FINDER_MODEL,
  mode: "auto",
  allow: [],
  deny: [],
  resume: { how: "new" },
  fork: "no",
  host: "native",
  keepSession: "yes",
};

/**
 * Breaks a sample and lets the real agent repair it, with the finder as its model; then checks the log and
 * the disk.
 */
export async function repair(
  context: AppContext,
  way: SampleWay,
  { place, signal }: Omit<WayContext, "onProgress">,
): Promise<Repair> {
  await withBroken(place, way, async () => undefined);
  const surveyor = new Surveyor(place.workspace);
  const broken = await surveyor.survey();
  const before = await resultOf({ place, signal });
  const { session, answer } = await turn(contextAt(context, place), signal);
  const after = await resultOf({ place, signal });
  const mended = await surveyor.survey();
  const trail = trailOf(await logOf(place, session));
  const culprit = way.culprit === "cannot-tell" ? [] : way.culprit.paths;
  const pristine = await new Surveyor(pristineSample(place)).survey();
  const claims = claimsOf({
    trail,
    test: TEST,
    tested: [before, after],
    changed: differences(broken, mended).map(({ path }) => path),
    unmended: differences(pristine, mended).flatMap(({ path }) => (culprit.includes(path) ? [path] : [])),
    culprit,
    answer,
  });
  return { way: way.name, session, prompt: PROMPT, test: TEST, trail, answer, claims };
}

/** The agent's usual context, but with a temporary home and without the user's settings. */
function contextAt(
  { common, surroundings, listener }: AppContext,
  { workspace, environment }: SamplePlace,
): AppContext {
  return openContext({
    common: {
      ...common,
      session: undefined,
      workspace,
      trust: false,
      settings: {},
      store: { kind: "files" },
    },
    surroundings: { ...surroundings, environment, cwd: () => workspace, knownWorkspaces: async () => [] },
    listener,
  });
}

/** The repair needs no permission, so every request is declined. */
const DECLINED = {
  reason: callReasonInEnglish({ code: "nobody-to-ask" }),
  because: { code: "nobody-to-ask" },
} as const;

async function turn(
  context: AppContext,
  signal: AbortSignal,
): Promise<{ readonly session: SessionId; readonly answer: string }> {
  const person = headlessUser({ refuseCall: () => DECLINED, refusePlan: () => DECLINED });
  const { agent, close } = await startAgent(context, { request, person });
  const interrupt = (): void => {
    agent.interrupt().catch(() => undefined);
  };
  signal.addEventListener("abort", interrupt);
  try {
    const { answer, error } = await agent.prompt(PROMPT);
    return { session: agent.session, answer: error === undefined ? answer : error.message };
  } finally {
    signal.removeEventListener("abort", interrupt);
    await close();
  }
}

/** Runs the test outside the agent and returns its result. */
async function resultOf({ place, signal }: Pick<WayContext, "place" | "signal">): Promise<"green" | "red"> {
  const [program, ...words] = SAMPLE_TEST;
  const { environment, workspace } = place;
  const command = { program, arguments: words, environment, timeoutMs: TIMEOUT_MS, signal };
  return (await runTest(command, workspace)).result === "pass" ? "green" : "red";
}

/** Reads the log from its files alone, without the session that wrote it. */
async function logOf({ home }: SamplePlace, id: SessionId) {
  const view = await viewSession(openFilesStore({ root: home, clock: systemClock }), id);
  return view.entries(view.outline.rows().map(({ seq }) => seq));
}

function pristineSample({ home }: SamplePlace): string {
  const folder = join(home, "..", "pristine");
  mkdirSync(folder);
  makeSample(folder);
  return folder;
}
