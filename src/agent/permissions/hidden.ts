import { userHome } from "../../disk/folders.ts";
import { isAbout, pathMatcher } from "./matching.ts";
import { type Rules, requireRule } from "./rules.ts";

/** Whether a search must leave out what stands at a real path: a rule denies looking at it. */
export type Hides = (path: string) => boolean;

export interface HiddenRequest {
  readonly tool: "Glob" | "Grep";
  readonly deny: Rules["deny"];
  /** Its real path. */
  readonly workspace: string;
  /** What `~` is; by default the home of whoever runs this. */
  readonly home?: string;
}

/**
 * A search of a folder is decided on by the folder alone; what is denied below it is left out of what is found. Undefined
 * where no rule denies a path.
 */
export function hiddenFrom({ tool, deny, workspace, home = userHome() }: HiddenRequest): Hides | undefined {
  const matchers = deny
    .map(requireRule)
    .filter((rule) => rule.pattern.kind === "path" && isAbout(rule, tool))
    .map(({ pattern }) => pathMatcher(pattern, { workspace, home }));
  return matchers.length === 0 ? undefined : (path) => matchers.some((isMet) => isMet(path));
}
