import type { OutsideWatch } from "../../../machine/files/outside/watch.ts";
import type { Workbench } from "../workbench.ts";
import type { ParsedCall } from "./one-call.ts";

/** Keeps the files that a call names and no snapshot has. What a command changes there nobody can say. */
export async function watchFiles(
  { watchOutside }: Workbench,
  { tool, input }: ParsedCall,
): Promise<OutsideWatch | undefined> {
  if (tool.reach !== "files") return undefined;
  const paths = (await tool.subjects(input)).flatMap((subject) =>
    subject.kind === "path" && subject.access === "write" ? [subject.path] : [],
  );
  return watchOutside(paths);
}
