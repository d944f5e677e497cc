import { execFile, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { WorldlineError } from "../../record/error.ts";
import type { EndOfProgram } from "../../strings/en/errors/terminal.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ClipboardImage {
  readonly mediaType: string;
  /** The image in Base64. */
  readonly data: string;
}

/** Functions and data that the screen needs from the process in order to start other programs. */
export interface ProcessAccess {
  readonly environment: Environment;
  /** Passes interrupts to `listener` instead of the screen. Returns a function that restores the previous listener. */
  readonly onInterrupt: (listener: () => void) => () => void;
}

/** Maximum size of an image. This is more than any provider accepts, but not enough to block the screen. */
const MAX_BYTES = 16 * 1024 * 1024;
const PATIENCE_MS = 3_000;

/** One way to read the clipboard: a program, and the encoding of its output. */
interface Way {
  readonly program: string;
  readonly words: readonly string[];
  readonly decode: (printed: Buffer) => Buffer;
}

const asIs = (printed: Buffer): Buffer => printed;

/**
 * Returns the image in the clipboard, read with the first program that works on this machine. Returns undefined if
 * there is no image.
 */
export async function clipboardImage(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<ClipboardImage | undefined> {
  for (const { program, words, decode } of waysOf(environment, platform)) {
    const printed = await outputOf(program, words, environment);
    const bytes = printed === undefined ? undefined : decode(printed);
    const mediaType = bytes === undefined ? undefined : mediaTypeOf(bytes);
    if (bytes !== undefined && mediaType !== undefined) return { mediaType, data: bytes.toString("base64") };
  }
  return undefined;
}

function waysOf(environment: Environment, platform: NodeJS.Platform): readonly Way[] {
  if (platform === "darwin") {
    const script = "the clipboard as \u00abclass PNGf\u00bb";
    return [{ program: "osascript", words: ["-e", script], decode: hexIn }];
  }
  const types = ["image/png", "image/jpeg"];
  return [
    ...(environment["WAYLAND_DISPLAY"]
      ? types.map((type) => ({ program: "wl-paste", words: ["-n", "-t", type], decode: asIs }))
      : []),
    ...(environment["DISPLAY"]
      ? types.map((type) => ({
          program: "xclip",
          words: ["-selection", "clipboard", "-t", type, "-o"],
          decode: asIs,
        }))
      : []),
  ];
}

/** Decodes the bytes, which AppleScript prints as `«data PNGf89504E47…»`. */
function hexIn(printed: Buffer): Buffer {
  return Buffer.from(/PNGf([0-9A-F]+)/u.exec(printed.toString("latin1"))?.[1] ?? "", "hex");
}

/** Returns a program's output, or undefined if the program does not exist, fails, or takes too long. */
async function outputOf(
  program: string,
  words: readonly string[],
  environment: Environment,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const how = {
      env: { ...environment },
      encoding: "buffer",
      maxBuffer: 2 * MAX_BYTES + 1024,
      timeout: PATIENCE_MS,
    } as const;
    execFile(program, [...words], how, (error, stdout) => resolve(error === null ? stdout : undefined));
  });
}

const KINDS: readonly (readonly [mediaType: string, first: readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
];

/**
 * Recognizes an image by its first bytes, because a clipboard may return text or nothing, regardless of the requested
 * type.
 */
function mediaTypeOf(bytes: Buffer): string | undefined {
  if (bytes.length > MAX_BYTES) return undefined;
  return KINDS.find(([, first]) => first.every((byte, index) => bytes[index] === byte))?.[0];
}

const USUAL = ["vi", "nano"];

/**
 * Opens the text in the user's editor, which takes over the terminal until it exits. Returns the edited text. The
 * temporary file is removed afterwards.
 */
export async function editExternally(
  { environment, onInterrupt }: ProcessAccess,
  text: string,
): Promise<string> {
  const editor = editorOf(environment);
  const folder = await mkdtemp(join(tmpdir(), "worldline-edit-"));
  // While the editor runs, Ctrl+C is meant for the editor.
  const release = onInterrupt(() => undefined);
  try {
    const file = join(folder, "prompt.md");
    await writeFile(file, text, { mode: 0o600 });
    await run(editor, file, environment);
    // Editors add a line break at the end of a file, even though the user did not type it.
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

/** Runs the editor in a shell, because EDITOR may contain arguments, such as `code --wait`. */
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
