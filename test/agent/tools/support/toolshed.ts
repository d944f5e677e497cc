import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Subject } from "../../../../src/agent/permissions/rules.ts";
import { BackgroundCommands } from "../../../../src/agent/tools/bash/background.ts";
import { type Preview, parseInput, type Tool, type ToolResult } from "../../../../src/agent/tools/tool.ts";
import { nativeTools, type ToolOptions } from "../../../../src/agent/turn/turn-context.ts";
import type { Person } from "../../../../src/ports/person.ts";
import type { Json } from "../../../../src/record/parts.ts";
import { textOf } from "../../../../src/record/parts.ts";
import { tempFolder } from "../../../../src/testing/temp-folder.ts";

export interface Toolshed {
  readonly workspace: string;
  /** A folder next to the workspace. */
  readonly outside: string;
  readonly background: BackgroundCommands;
  /** Calls a tool as the agent does: what one call has read, the next call knows. */
  call(
    name: string,
    input: Json,
    how?: { signal?: AbortSignal; onOutput?: (text: string) => void },
  ): Promise<Said>;
  subjects(name: string, input: Json): Promise<readonly Subject[]>;
  preview(name: string, input: Json): Promise<Preview | undefined>;
  /** Forgets what was read, as a backtrack does. */
  forget(): void;
}

export interface Said extends ToolResult {
  readonly text: string;
}

export const nobody: Person = {
  allow: async () => ({ answer: "no", reason: "nobody is there" }),
  answer: async () => undefined,
  approve: async () => ({ answer: "no", reason: "nobody is there" }),
};

/** The real tools on a real folder; the folder and all processes are removed after the test. */
export function toolshed(given: Partial<ToolOptions> = {}): Toolshed {
  const folder = tempFolder();
  const [workspace, outside] = [join(folder.path, "work"), join(folder.path, "outside")];
  mkdirSync(workspace);
  mkdirSync(outside);
  const background = new BackgroundCommands();
  onTestFinished(async () => {
    await background.close();
    folder.remove();
  });
  const seen = new Map<string, string>();
  const deps: ToolOptions = {
    workspace,
    environment: process.env,
    seen: { shaOf: async (path) => seen.get(path) },
    background,
    keepOutput: async (call, bytes) => {
      const path = join(outside, `${call}.txt`);
      appendFileSync(path, bytes);
      return path;
    },
    onTodos: () => undefined,
    person: nobody,
    mode: () => "manual",
    onApproved: () => undefined,
    fetch: async (url, options) => fetch(url, options),
    ...given,
  };
  const tools = new Map(nativeTools(deps).map((tool) => [tool.name, tool]));
  const find = (name: string, json: Json): { tool: Tool; input: unknown } => {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const parsed = parseInput(tool, json);
    if ("error" in parsed) throw new Error(parsed.error);
    return { tool, input: parsed.input };
  };
  let calls = 0;
  return {
    workspace,
    outside,
    background,
    call: async (name, json, { signal = new AbortController().signal, onOutput = () => undefined } = {}) => {
      const { tool, input } = find(name, json);
      calls += 1;
      const result = await tool.run(input, { id: `call-${calls}`, signal, onOutput });
      if (result === "later") throw new Error(`${name} answers later`);
      for (const file of result.seen ?? []) seen.set(file.path, file.sha256);
      return { ...result, text: textOf(result.parts) };
    },
    subjects: async (name, json) => {
      const { tool, input } = find(name, json);
      return tool.subjects(input);
    },
    preview: async (name, json) => {
      const { tool, input } = find(name, json);
      return tool.preview?.(input);
    },
    forget: () => seen.clear(),
  };
}
