import { bundleProgram } from "../../children/bundle.ts";

export async function bundleAgentChild(folder: string): Promise<string> {
  return bundleProgram(new URL("./agent-child.ts", import.meta.url), folder);
}
