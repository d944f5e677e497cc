import type { OutsideWatch } from "../../../machine/files/outside/watch.ts";
import type { Subject } from "../../tools/tool.ts";
import type { TurnContext } from "../turn-context.ts";
import type { ParsedCall } from "./one-call.ts";

/** Keeps the files that a call names and no snapshot has. What a command changes there nobody can say. */
export async function watchFiles(
  { watchOutside }: TurnContext,
  { tool }: ParsedCall,
  subjects: readonly Subject[],
): Promise<OutsideWatch | undefined> {
  if (tool.reach !== "files") return undefined;
  return watchOutside(writtenBy(subjects));
}

/** The paths that a call says it will write. */
export function writtenBy(subjects: readonly Subject[]): readonly string[] {
  return subjects.flatMap((subject) =>
    subject.kind === "path" && subject.access === "write" ? [subject.path] : [],
  );
}
