import type { PlaceNames } from "../../cli/commands/find/text.ts";
import { authorOf, type ChangeAuthor } from "../../finder/author.ts";
import type { Change, Finding } from "../../finder/finding.ts";
import { type ChangedPath, changedPaths } from "../../finder/narrow/units.ts";
import type { WorkspaceState } from "../../finder/states.ts";
import type { SessionView } from "../../machine/view.ts";

/** A finding with all that there is to say of it. */
export interface Answer {
  readonly finding: Finding;
  readonly names: PlaceNames;
  readonly border?: { readonly green: WorkspaceState; readonly red: WorkspaceState };
  readonly change?: Change;
  readonly paths: readonly ChangedPath[];
  readonly author?: ChangeAuthor;
}

export async function answerOf(
  finding: Finding,
  { views, names }: { readonly views: readonly SessionView[]; readonly names: PlaceNames },
): Promise<Answer> {
  const border = borderOf(finding);
  const change = "change" in finding ? finding.change : undefined;
  const paths = change === undefined ? [] : changedPaths(change.units);
  const known = { finding, names, paths, ...(change === undefined ? {} : { change }) };
  if (border === undefined) return known;
  if (change === undefined) return { ...known, border };
  const author = await authorOf({ views, ...border, paths: paths.map(({ path }) => path) });
  return { ...known, border, author };
}

function borderOf(finding: Finding): Answer["border"] {
  if (!("border" in finding) || finding.border === undefined) return undefined;
  const [green, red] = [finding.states[finding.border.green], finding.states[finding.border.red]];
  return green === undefined || red === undefined ? undefined : { green, red };
}
