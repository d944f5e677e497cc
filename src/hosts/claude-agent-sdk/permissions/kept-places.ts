import { join, relative, sep } from "node:path";
import { placeOf } from "../../../agent/tools/files/places.ts";
import type { Subject } from "../../../agent/tools/tool.ts";

export interface KeptPlaces {
  /** Where our own commands keep what they printed. */
  readonly outputs: string;
  /** The SDK's folder (`CLAUDE_CONFIG_DIR`): there lie its plans, and what it has kept of long results. */
  readonly sdkHome: string;
}

/** Whether the model was told itself to go there, so that nobody need be asked although it lies outside the workspace. */
export async function isKeptForModel(places: KeptPlaces, subjects: readonly Subject[]): Promise<boolean> {
  const home = await placeOf(sep, places.sdkHome);
  return subjects.length > 0 && subjects.every((subject) => isKept({ ...places, sdkHome: home }, subject));
}

function isKept({ outputs, sdkHome }: KeptPlaces, subject: Subject): boolean {
  if (subject.kind !== "path") return false;
  const { path, access } = subject;
  // In plan mode the model writes its plan to a file there, and ExitPlanMode reads it.
  if (path.startsWith(join(sdkHome, "plans") + sep) && path.endsWith(".md")) return true;
  if (access === "write") return false;
  return path.startsWith(outputs + sep) || isKeptResult(relative(sdkHome, path));
}

/** `projects/<workspace>/<session>/tool-results/<file>`. */
function isKeptResult(path: string): boolean {
  const [projects, , , results, file] = path.split(sep);
  return projects === "projects" && results === "tool-results" && file !== undefined;
}
