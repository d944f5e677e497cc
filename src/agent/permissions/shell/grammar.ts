import { readFileSync } from "node:fs";
import type { Parser, Tree } from "web-tree-sitter";
import { packagedFile } from "../../../disk/packaged-file.ts";

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
  const runtime = packagedFile("web-tree-sitter.wasm", "web-tree-sitter/web-tree-sitter.wasm");
  const grammar = packagedFile("tree-sitter-bash.wasm", "tree-sitter-bash/tree-sitter-bash.wasm");
  await ParserClass.init({ wasmBinary: readFileSync(runtime) });
  const language = await Language.load(readFileSync(grammar));
  const made = new ParserClass();
  made.setLanguage(language);
  parser = made;
}
