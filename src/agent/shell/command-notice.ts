import { textOf } from "../../record/parts.ts";
import type { ShellResult } from "../tools/bash/run-shell.ts";

/** What the model is told of a command that the person ran beside it. */
export function commandNotice(command: string, result: ShellResult): string {
  const told = [endOf(result), leftOf(result), "What it printed:"].filter((text) => text !== "").join(" ");
  return `The person ran a command in the workspace themselves:\n${command}\n\n${told}\n${textOf(result.parts)}`;
}

function leftOf({ background }: ShellResult): string {
  if (background === undefined) return "";
  return `Processes that it started still run, as ${background}: BashOutput reads what they print, KillShell ends them.`;
}

function endOf({ outcome, exitCode }: ShellResult): string {
  if (exitCode !== undefined) return `It ended with exit code ${exitCode}.`;
  return outcome === "interrupted" ? "The person interrupted it." : "It did not come to its own end.";
}
