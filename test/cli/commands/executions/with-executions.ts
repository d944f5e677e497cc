import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OpenExecutionOptions, openExecution } from "../../../../src/open-execution.ts";
import { playground } from "../../support/command-line.ts";
import { tellConversation } from "../../support/conversation.ts";

/** A home and a workspace for programs with executions, and the command line in them. */
export function withExecutions() {
  const place = playground();
  const { home, workspace, worldline } = place;
  return {
    ...place,
    put: (name: string, content: string) => writeFileSync(join(workspace, name), content),
    content: (name: string) => readFileSync(join(workspace, name), "utf8"),
    open: (id: string, options: OpenExecutionOptions = {}) =>
      openExecution(id, { home, workspace, ...options }),
    /** Writes an agent session with two turns, #1 and #4. */
    talk: () => tellConversation({ home, workspace }),
    data: async (line: string) => JSON.parse((await worldline(`${line} --json`)).stdout),
    /** The text output, with everything that varies between runs replaced. */
    text: async (line: string) => plain((await worldline(line)).stdout, workspace),
  };
}

export type Place = ReturnType<typeof withExecutions>;

function plain(text: string, workspace: string): string {
  return text
    .replaceAll(workspace, "<workspace>")
    .replaceAll(/\b[a-hjkmnp-tv-z][0-9a-hjkmnp-tv-z]{9}\b/gu, "<session>")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/gu, "<time>")
    .replaceAll(/just now|now|\d+ s ago/gu, "<ago>");
}

/** Runs two steps that succeed and one that fails; each of them writes the file. */
export async function runPipeline(place: Place, id: string, files: "on" | "off" = "off"): Promise<void> {
  const execution = await place.open(id, { files });
  place.put("out.txt", "loaded\n");
  await execution.step("load", () => ({ rows: 3 }), { state: { at: new Date(0), ids: new Set([1, 2]) } });
  place.put("out.txt", "processed\n");
  await execution.step("data_processing", () => "done");
  place.put("out.txt", "broken\n");
  await execution
    .step("write", () => {
      throw new TypeError("disk full");
    })
    .catch(() => undefined);
  await execution.close();
}
