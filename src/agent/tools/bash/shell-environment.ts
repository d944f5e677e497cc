import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** In the environment of every command: by it those are found that have left their process group. */
const MARK_VARIABLE = "WORLDLINE_COMMAND";

/** Keys that pay for models: a command has no business with them, and its output would put them into the log. */
const providerKey =
  /^(ANTHROPIC|CLAUDE|OPENAI|AZURE_OPENAI|MOONSHOT|KIMI|DEEPSEEK|OPENROUTER|LMSTUDIO|LM_STUDIO|OLLAMA|GEMINI|GOOGLE_GENERATIVE_AI|GROQ|MISTRAL|XAI|TOGETHER|FIREWORKS|COHERE|CEREBRAS|PERPLEXITY|DASHSCOPE|ZHIPU|WORLDLINE)(_[A-Z]+)*_(API_KEY|AUTH_TOKEN|OAUTH_TOKEN)$/i;
/** They would ask for colours in spite of NO_COLOR. */
const COLOURS = new Set(["FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM"]);

const ADDED: Readonly<Record<string, string>> = {
  WORLDLINE: "1",
  NO_COLOR: "1",
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
};

export function withoutVariables(environment: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}

/** What a command finds in its environment. */
export function shellEnvironment(environment: Environment, mark: string): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || providerKey.test(name) || COLOURS.has(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(kept), ...ADDED, ...markVariable(environment, mark) };
}

/** By which a program, and all that it starts, is found when nobody else knows of it any more. */
export function markVariable(environment: Environment, mark: string): { readonly [MARK_VARIABLE]: string } {
  // Worldline inside of Worldline: the outer one must find what the inner one left.
  const marks = [environment[MARK_VARIABLE], mark].filter((each) => each !== undefined).join(" ");
  return { [MARK_VARIABLE]: marks };
}

/** bash where there is one, else sh. */
export function shellIn(environment: Environment): string {
  const folders = ["/bin", "/usr/bin", ...(environment["PATH"] ?? "").split(delimiter)];
  const bash = folders.filter((folder) => folder.startsWith("/")).map((folder) => join(folder, "bash"));
  return bash.find(isProgram) ?? "/bin/sh";
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
