import { posix } from "node:path";
import { foldedName, isGitAlias } from "../../record/files.ts";
import { alternativesOf } from "./glob.ts";

/** The folders that paths are resolved against. Both are real, absolute paths. */
export interface PathContext {
  readonly workspace: string;
  readonly home: string;
}

/**
 * Joins a path to the folder that it is relative to. Does not normalize the result, because the system resolves
 * `link/..` to the parent of the link's target, not of the link.
 */
export function joinLiterally(folder: string, path: string): string {
  return path.startsWith("/") ? path : `${folder}/${path}`;
}

/** Checks whether a path goes up, so that it may lead somewhere else than it seems to. */
export function isUpward(path: string): boolean {
  return path.split("/").includes("..");
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

/** The system's virtual files are never inside the workspace, even if the workspace is the root folder. */
const SYSTEM = /^\/(?:proc|sys|dev)(?:\/|$)/u;

export function isInside({ workspace }: Pick<PathContext, "workspace">, path: string): boolean {
  if (SYSTEM.test(path) && !SYSTEM.test(workspace)) return false;
  return path === workspace || path.startsWith(workspace.endsWith("/") ? workspace : `${workspace}/`);
}

/**
 * Returns the part of a path that makes it protected, because code is run from it or because git or Worldline stores
 * data in it. Editing such a path needs permission even if other edits do not. Variants of these names that only some
 * file systems treat as equal are protected as well.
 */
export function protectedPart(pathContext: PathContext, path: string): string | undefined {
  if (!isInside(pathContext, path)) return undefined;
  const parts = posix.relative(pathContext.workspace, path).split("/");
  const folder = parts.find((part) => isGitAlias(part) || foldedName(part) === ".worldline");
  const file = [".envrc", ".mcp.json"].find((name) => name === foldedName(parts.at(-1) ?? ""));
  return folder ?? file;
}

/**
 * A path that a command names: the word, the part of the word that is the path, and the path itself, resolved against
 * the workspace.
 */
export interface NamedPath {
  readonly word: string;
  readonly piece: string;
  /** Absent if unknown, for example if it contains a variable or another user's home folder. */
  readonly path?: string;
}

/**
 * Returns the parts of a command's words that may be paths: whole words, text after `=`, `:` and `,`, and text in
 * braces. A word that is not a path usually looks like a path inside the workspace, which does no harm. If it begins
 * with a slash, it looks like an outside path and needs permission.
 */
export function pathsNamed(pathContext: PathContext, words: readonly string[]): readonly NamedPath[] {
  const [program, ...rest] = words;
  if (program === undefined) return [];
  const isOfSystem = PROGRAM_FOLDERS.has(posix.dirname(program));
  const goesHome = ["cd", "pushd"].includes(program) && rest.every((word) => word.startsWith("-"));
  return [
    ...(isOfSystem ? rest : words).flatMap((word) => pathsInWord(pathContext, word)),
    ...(goesHome ? [{ word: words.join(" "), piece: "" }] : []),
  ];
}

export function isOutside(pathContext: PathContext, { path }: NamedPath): boolean {
  return path === undefined || !(isInside(pathContext, path) || DEVICES.test(path));
}

/** Maximum length of a word whose braces are expanded. Longer words with braces are text, not paths. */
const MAX_BRACES = 1_000;

/** The paths are cached, because long lines repeat the same words. */
const seenWords = new WeakMap<PathContext, Map<string, readonly NamedPath[]>>();

/** Returns the parts of a word that may be paths. */
export function pathsInWord(pathContext: PathContext, word: string): readonly NamedPath[] {
  const byWord = seenWords.get(pathContext) ?? new Map<string, readonly NamedPath[]>();
  seenWords.set(pathContext, byWord);
  const named = byWord.get(word) ?? wordsIn(word).flatMap((each) => readWord(pathContext, each));
  byWord.set(word, named);
  return named;
}

/**
 * Returns the word and its brace expansions, such as `../x` for `{.,}./x`. A word with too many alternatives could be
 * anything.
 */
function wordsIn(word: string): readonly string[] {
  const isChoice = word.includes("{") && word.length < MAX_BRACES;
  return isChoice ? [word, ...(alternativesOf(word) ?? ["~"])] : [word];
}

function readWord(pathContext: PathContext, word: string): readonly NamedPath[] {
  // A URL for another machine is not a local path, unless a folder has exactly that name. Parts of a `file:` URL can be
  // paths.
  const local = word.replace(/(?<![a-z])(?!file:)[a-z][a-z0-9+.-]*:\/\/[^\s"']*/giu, "");
  const candidates = new Set([word, ...word.split(/[=,{}]/u), local, ...local.split(/[=:,{}@]/u)]);
  // The value of a short option may be attached: `-o../f`, `-I/usr`.
  const attached = /^-[^/~.]+(?<path>[/~].*|\.\.(?:\/.*)?)$/u.exec(local)?.groups?.["path"];
  if (attached !== undefined) candidates.add(attached);
  candidates.delete("");
  return [...candidates].map((piece) => ({ word, piece, ...resolved(pathContext, piece) }));
}

function resolved({ workspace, home }: PathContext, piece: string): { path?: string } {
  if (piece === "~" || piece.startsWith("~/")) return { path: posix.join(home, piece.slice(1)) };
  if (piece.startsWith("~") || /^\$\{?(?:HOME|OLDPWD|TMPDIR|XDG_\w+)\b/u.test(piece)) return {};
  return { path: posix.resolve(workspace, piece) };
}
