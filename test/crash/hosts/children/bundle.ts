import { bundleProgram } from "../../children/bundle.ts";

export async function bundleClaudeChild(folder: string): Promise<string> {
  return bundleProgram(new URL("./claude-child.ts", import.meta.url), folder);
}
