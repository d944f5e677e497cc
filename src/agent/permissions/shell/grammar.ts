import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Parser, Tree } from "web-tree-sitter";

/** Longer commands are not read, and so ask: reading takes time that grows with the length. */
const MAX_LENGTH = 8_000;

let parser: Parser | undefined;
let loading: Promise<void> | undefined;

/**
 * Loads tree-sitter's grammar of bash, once; about 20 ms. Until then, and where it cannot be loaded, no command can be read, so
 * every command asks.
 */
export async function loadGrammar(): Promise<void> {
  loading ??= load().catch(() => undefined);
  await loading;
}

/** The syntax tree; undefined where the command is too long, or cannot be read. Whoever gets it must call `delete`. */
export function parseShell(text: string): Tree | undefined {
  if (parser === undefined || text.length > MAX_LENGTH) return undefined;
  try {
    parser.reset();
    return parser.parse(text) ?? undefined;
  } catch {
    // A fault in the WebAssembly leaves it in an unknown state.
    parser = undefined;
    loading = undefined;
    return undefined;
  }
}

async function load(): Promise<void> {
  const { Language, Parser: ParserClass } = await import("web-tree-sitter");
  const require = createRequire(import.meta.url);
  const runtime = readFileSync(require.resolve("web-tree-sitter/web-tree-sitter.wasm"));
  await ParserClass.init({ wasmBinary: runtime });
  const language = await Language.load(readFileSync(grammarFile(require)));
  const made = new ParserClass();
  made.setLanguage(language);
  parser = made;
}

/** The build puts the grammar beside the compiled code; from the sources it is a package for development. */
function grammarFile(require: NodeJS.Require): string {
  const beside = fileURLToPath(new URL("./tree-sitter-bash.wasm", import.meta.url));
  return existsSync(beside) ? beside : require.resolve("tree-sitter-bash/tree-sitter-bash.wasm");
}
