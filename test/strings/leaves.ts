import ts from "typescript";

/**
 * A string of a catalogue, a list of strings, or a function that returns one, with sample arguments of its
 * types.
 */
export interface Leaf {
  readonly path: string;
  /** The path in parts, because names of settings and help examples contain periods. */
  readonly keys: readonly string[];
  /** One list of arguments for each variation; a plain string has a single, empty one. */
  readonly calls: readonly (readonly unknown[])[];
}

/**
 * Numbers take each of these values, and a choice each of its words, so that every branch of a sentence is
 * covered.
 */
const NUMBERS = [7, 1, 0, 1234, 12_345_678];
/** Enough that each word of the longest choice is combined with several numbers. */
const VARIATIONS = 60;
const TEXTS = ["a.txt", "b.txt", ""];

/** Every leaf of the object that `file` exports as `name`, found through its type. */
export function leavesOf(file: string, name: string): readonly Leaf[] {
  const program = ts.createProgram([file], {
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.NodeNext,
    noEmit: true,
    strict: true,
    target: ts.ScriptTarget.ES2023,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  const exported = symbol === undefined ? [] : checker.getExportsOfModule(symbol);
  const catalogue = exported.find((each) => each.name === name);
  if (catalogue === undefined) throw new Error(`${file} exports no ${name}`);
  return leavesIn(checker, checker.getTypeOfSymbol(catalogue), []);
}

function leavesIn(checker: ts.TypeChecker, type: ts.Type, path: readonly string[]): Leaf[] {
  const [signature] = type.getCallSignatures();
  if (signature !== undefined) {
    const types = signature.parameters.map((each) => checker.getTypeOfSymbol(each));
    const call = (turn: number) => types.map((each, index) => sampleOf(checker, each, turn + index));
    const calls = types.length === 0 ? [[]] : Array.from({ length: VARIATIONS }, (_, turn) => call(turn));
    return [{ path: path.join("."), keys: path, calls }];
  }
  const isText = (type.flags & ts.TypeFlags.StringLike) !== 0;
  if (isText || checker.isArrayType(type)) return [{ path: path.join("."), keys: path, calls: [[]] }];
  // Numbers in a catalogue are not texts.
  if ((type.flags & ts.TypeFlags.NumberLike) !== 0) return [];
  return type
    .getProperties()
    .flatMap((each) => leavesIn(checker, checker.getTypeOfSymbol(each), [...path, each.name]));
}

/** A value of the type; `turn` chooses among several. */
function sampleOf(checker: ts.TypeChecker, type: ts.Type, turn: number): unknown {
  if (type.isUnion()) {
    return sampleOf(checker, at(type.types, turn), Math.floor(turn / type.types.length));
  }
  if ((type.flags & ts.TypeFlags.Null) !== 0) return null;
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  if ((type.flags & PLAIN) !== 0) return plainOf(checker, type, turn);
  if (checker.isArrayType(type)) {
    const [item] = checker.getTypeArguments(type as ts.TypeReference);
    return item === undefined ? [] : [sampleOf(checker, item, turn), sampleOf(checker, item, turn + 1)];
  }
  if (type.getCallSignatures().length > 0) return () => "made";
  return Object.fromEntries(
    type
      .getProperties()
      .map((each, index) => [each.name, sampleOf(checker, checker.getTypeOfSymbol(each), turn + index)]),
  );
}

const PLAIN =
  ts.TypeFlags.String | ts.TypeFlags.Number | ts.TypeFlags.BooleanLiteral | ts.TypeFlags.Undefined;

function plainOf(checker: ts.TypeChecker, type: ts.Type, turn: number): unknown {
  const { flags } = type;
  if ((flags & ts.TypeFlags.String) !== 0) return at(TEXTS, turn % 5 === 4 ? 2 : turn % 2);
  if ((flags & ts.TypeFlags.Number) !== 0) return at(NUMBERS, turn);
  return (flags & ts.TypeFlags.BooleanLiteral) === 0 ? undefined : checker.typeToString(type) === "true";
}

function at<Item>(items: readonly Item[], turn: number): Item {
  return items[turn % items.length] as Item;
}

/** The catalogue's text at the leaf, for one list of arguments. */
export function saidAt(catalogue: object, { keys }: Leaf, given: readonly unknown[]): string {
  const found = keys.reduce<unknown>(
    (inside, key) => (inside as Readonly<Record<string, unknown>>)[key],
    catalogue,
  );
  const said: unknown = typeof found === "function" ? found(...given) : found;
  return Array.isArray(said) ? said.flat().join("\n") : String(said);
}

/** Half-width punctuation next to a Chinese character, where full-width punctuation belongs. */
const HALF_WIDTH = /[\u4e00-\u9fff](?:[,;:!?()"]|\.(?!\p{L}))|[,;:!?()"][\u4e00-\u9fff]/u;

export function isHalfWidth(text: string): boolean {
  return HALF_WIDTH.test(text);
}

/** Finds names such as `worldline store gc`, `--take-over`, `/rewind` and `snapshots.maxBytes`. */
export function namesIn(text: string): string[] {
  return text.match(/worldline [a-z]+(?: [a-z]+)?(?= --|$)|--[a-z][a-z-]+|(?<![\w.])\/[a-z]{3,}\b/gu) ?? [];
}
