import { join, relative, sep } from "node:path";
import { lookAt } from "../../../agent/tools/files/look.ts";
import { placeOf } from "../../../agent/tools/files/places.ts";
import type { Subject } from "../../../agent/tools/tool.ts";
import type { PermissionMode } from "../../../ports/person.ts";

export interface KeptPlaces {
  /** Its real path. */
  readonly workspace: string;
  readonly mode: () => PermissionMode;
  /** Where our own commands keep what they printed. */
  readonly outputs: string;
  /** The SDK's folder (`CLAUDE_CONFIG_DIR`): there lie its plans, and what it has kept of long results. */
  readonly sdkHome: string;
  /** The SDK's sessions that the branch has gone on in. */
  readonly hostSessions: () => Promise<readonly string[]>;
  /** The plans that this agent has begun itself; others there belong to other sessions. */
  readonly plans: Set<string>;
}

/**
 * "unasked": the model was told itself to go there, so the user is not asked although it is outside the workspace.
 * "asked": even in plan mode the user may allow it.
 */
export type KeptFor = "unasked" | "asked" | "nothing";

export async function keptForModel(places: KeptPlaces, subjects: readonly Subject[]): Promise<KeptFor> {
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

/** In plan mode the model writes its plan to a new file there, and ExitPlanMode reads it. */
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

/** `projects/<workspace>/<session>/tool-results/<file>`; those of other sessions, of other projects too, lie beside them. */
async function isKeptResult({ workspace, hostSessions }: KeptPlaces, path: string): Promise<boolean> {
  const [projects, project = "", session = "", results, file] = path.split(sep);
  if (projects !== "projects" || results !== "tool-results" || file === undefined) return false;
  return isProjectOf(workspace, project) && (await hostSessions()).includes(session);
}

/** The SDK cuts longer names, and puts a sum behind them. */
const LONGEST_NAME = 200;

function isProjectOf(workspace: string, project: string): boolean {
  const name = workspace.replaceAll(/[^A-Za-z0-9]/gu, "-");
  if (name.length <= LONGEST_NAME) return project === name;
  return project.startsWith(`${name.slice(0, LONGEST_NAME)}-`);
}
