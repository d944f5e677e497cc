import { posix } from "node:path";

/** Where paths are looked at from. Both are real and absolute. */
export interface Ground {
  readonly workspace: string;
  readonly home: string;
}

const DEVICES = /^\/dev\/(?:null|zero|stdin|stdout|stderr|tty|random|urandom|fd\/\d+)$/u;
const PROGRAM_FOLDERS = new Set([
  "/bin",
  "/sbin",
  "/usr/bin",
  "/usr/sbin",
  "/usr/local/bin",
  "/opt/homebrew/bin",
]);

export function isInside({ workspace }: Ground, path: string): boolean {
  return path === workspace || path.startsWith(workspace.endsWith("/") ? workspace : `${workspace}/`);
}

/**
 * Which part of a path makes it one that runs code, or that git and Worldline keep their own things in: these are asked
 * about where other edits are not.
 */
export function protectedPart(ground: Ground, path: string): string | undefined {
  if (!isInside(ground, path)) return undefined;
  const parts = posix.relative(ground.workspace, path).split("/");
  const folder = parts.find((part) => [".git", ".worldline"].includes(part.toLowerCase()));
  const file = [".envrc", ".mcp.json"].find((name) => name === parts.at(-1)?.toLowerCase());
  return folder ?? file;
}

/** A path that a command names: the word it stands in, and where it leads from the workspace. */
export interface NamedPath {
  readonly word: string;
  /** Absent where nobody can say: another user's home, a variable. */
  readonly path?: string;
}

/**
 * What of a command's words may be paths: the words, and what stands behind `=`, `:`, `,` and in braces. A word that is no path looks
 * like one inside the workspace, which harms nobody; one that begins with a slash looks like one outside, and is asked about.
 */
export function pathsNamed(ground: Ground, words: readonly string[]): readonly NamedPath[] {
  const [program = "", ...rest] = words;
  const isOfSystem = PROGRAM_FOLDERS.has(posix.dirname(program));
  const goesHome = ["cd", "pushd"].includes(program) && (rest.length === 0 || rest[0] === "-");
  return [
    ...(isOfSystem ? rest : words).flatMap((word) => pathsInWord(ground, word)),
    ...(goesHome ? [{ word: words.join(" ") }] : []),
  ];
}

export function isOutside(ground: Ground, { path }: NamedPath): boolean {
  return path === undefined || !(isInside(ground, path) || DEVICES.test(path));
}

function pathsInWord(ground: Ground, word: string): readonly NamedPath[] {
  // Addresses of other machines are no paths; those of files are.
  const local = word.replace(/(?<![a-z])(?!file:)[a-z][a-z0-9+.-]*:\/\/[^\s"']*/giu, "");
  const pieces = [local, ...local.split(/[=:,{}@]/u)];
  const attached = /^-[A-Za-z]+(?<path>[/~].*)$/u.exec(word)?.groups?.["path"];
  const candidates = new Set([...pieces, ...(attached === undefined ? [] : [attached])]);
  candidates.delete("");
  return [...candidates].map((piece) => ({ word, ...resolved(ground, piece) }));
}

function resolved({ workspace, home }: Ground, piece: string): { path?: string } {
  if (piece === "~" || piece.startsWith("~/")) return { path: posix.join(home, piece.slice(1)) };
  if (piece.startsWith("~") || /^\$\{?(?:HOME|OLDPWD|TMPDIR|XDG_\w+)\b/u.test(piece)) return {};
  return { path: posix.resolve(workspace, piece) };
}
