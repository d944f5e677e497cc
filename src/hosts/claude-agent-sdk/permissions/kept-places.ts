import { join, relative, sep } from "node:path";
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
}

/** Whether the model was told itself to go there, so that nobody need be asked although it lies outside the workspace. */
export async function isKeptForModel(places: KeptPlaces, subjects: readonly Subject[]): Promise<boolean> {
  if (subjects.length === 0) return false;
  for (const subject of subjects) {
    if (subject.kind !== "path" || !(await isKept(places, subject))) return false;
  }
  return true;
}

async function isKept(
  places: KeptPlaces,
  { path, access }: Extract<Subject, { kind: "path" }>,
): Promise<boolean> {
  const home = await placeOf(sep, places.sdkHome);
  // In plan mode the model writes its plan to a file there, and ExitPlanMode reads it.
  if (path.startsWith(join(home, "plans") + sep)) return places.mode() === "plan" && path.endsWith(".md");
  if (access === "write") return false;
  return path.startsWith(places.outputs + sep) || isKeptResult(places, relative(home, path));
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
