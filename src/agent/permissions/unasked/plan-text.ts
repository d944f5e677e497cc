import type { Redirect } from "../shell/plain-line.ts";
import type { CommandPlan, PlannedCommand, PlannedRun } from "./plan.ts";

/**
 * The plan as a line for a shell, for whoever cannot run an argument vector: every word in single quotes, so that no shell finds
 * anything to expand, programs that only look by their path, and git with all that keeps it from running other programs.
 */
export function planText({ folder, steps }: CommandPlan): string {
  const line = steps
    .map(({ join, pipeline }, index) => {
      const text = pipeline.map(commandText).join(" | ");
      if (index === 0) return text;
      return join === ";" ? `; ${text}` : ` ${join} ${text}`;
    })
    .join("");
  const start = `cd -P -- ${quoted(folder)}`;
  // Grouped, so that nothing of it runs where the folder is gone.
  return line === "" ? start : `${start} && { ${line}; }`;
}

function commandText({ words, run, redirects }: PlannedCommand): string {
  return [...(run === undefined ? words : runWords(run)).map(quoted), ...redirects.map(redirectText)].join(
    " ",
  );
}

function runWords({ program, args, environment }: PlannedRun): readonly string[] {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return variables.length === 0 ? [program, ...args] : ["/usr/bin/env", ...variables, program, ...args];
}

function redirectText({ fd, to }: Redirect): string {
  if (to !== "null") return `${fd}>&${to}`;
  return fd === 0 ? "</dev/null" : `${fd}>/dev/null`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
