import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { WorldlineError } from "../../record/error.ts";
import type { EndOfProgram } from "../../strings/errors/en/terminal.ts";
import type { Surroundings } from "../context.ts";
import type { Environment } from "../places/home.ts";

const USUAL = ["vi", "nano"];

/** Has the person edit the text in their editor, which gets the terminal meanwhile. What they wrote is kept nowhere else. */
export async function editExternally(
  { environment, onInterrupt }: Pick<Surroundings, "environment" | "onInterrupt">,
  text: string,
): Promise<string> {
  const editor = editorOf(environment);
  const folder = await mkdtemp(join(tmpdir(), "worldline-edit-"));
  // Ctrl-C in the editor is the editor's.
  const release = onInterrupt(() => undefined);
  try {
    const file = join(folder, "prompt.md");
    await writeFile(file, text, { mode: 0o600 });
    await run(editor, file, environment);
    // Editors end a file with a line break that nobody typed.
    return (await readFile(file, "utf8")).replace(/\r?\n$/u, "");
  } finally {
    release();
    await rm(folder, { recursive: true, force: true });
  }
}

function editorOf(environment: Environment): string {
  const named = [environment["VISUAL"], environment["EDITOR"]].find((each) => each?.trim());
  const editor = named ?? USUAL.find((name) => isInPath(name, environment));
  if (editor !== undefined) return editor;
  throw new WorldlineError("no-editor", {});
}

function isInPath(name: string, { PATH = "" }: Environment): boolean {
  return PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}

/** By a shell: EDITOR may have words behind the program, such as `code --wait`. */
async function run(editor: string, file: string, environment: Environment): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], {
      stdio: "inherit",
      env: { ...environment },
    });
    child.on("error", (cause) => reject(failed(editor, { system: cause.message })));
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(failed(editor, signal === null ? { exitCode: code } : { signal }));
    });
  });
}

function failed(editor: string, end: EndOfProgram): WorldlineError {
  return new WorldlineError("editor-failed", { editor, end });
}
