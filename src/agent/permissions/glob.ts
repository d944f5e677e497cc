import type { Problem } from "../../record/error.ts";

/** Maximum number of alternatives in a pattern. A pattern with more is rejected when it is read. */
const MAX_ALTERNATIVES = 256;

type Unit = { readonly one: (character: string) => boolean } | "star";
type Segment = readonly Unit[] | "any-depth";

/**
 * Returns what is wrong with a glob, or undefined if it is valid. A rule that silently means something else would be
 * worse than no rule.
 */
export function globProblem(glob: string): Problem | undefined {
  const plain = glob.replace(/\\./gsu, "_");
  if (/[!?+*@]\(/u.test(plain)) return { reason: "rule-glob-extended", params: {} };
  if (/\{[^{},]*\.\.[^{},]*\}/u.test(plain)) return { reason: "rule-glob-range", params: {} };
  return alternativesOf(glob) === undefined
    ? { reason: "rule-glob-alternatives", params: { most: MAX_ALTERNATIVES } }
    : undefined;
}

/**
 * Returns a function that checks whether the glob matches a relative path or one of its parent folders. `*`, `?` and
 * `[a-z]` do not match a slash, but `**` does. Dot files match. `\` makes the next character literal. The matching time
 * is at most proportional to the product of both lengths, even for a malicious pattern.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const patterns = (alternativesOf(glob) ?? []).map((each) => splitSegments(each).map(segmentOf));
  return (path) => {
    const names = path.split("/").map((name) => [...name]);
    return patterns.some((pattern) => matchesSegments(pattern, names));
  };
}

/** Returns the glob's alternatives, with all braces expanded, or undefined if there are too many. */
export function alternativesOf(glob: string): readonly string[] | undefined {
  let open = [glob];
  const done: string[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const choices = firstChoices(next);
    if (choices === undefined) done.push(next);
    else open = [...open, ...choices];
    if (open.length + done.length > MAX_ALTERNATIVES) return undefined;
  }
  return done;
}

/**
 * Expands the first braces of the pattern. Returns one pattern for each choice, or undefined if the pattern has no
 * braces to expand.
 */
function firstChoices(glob: string): readonly string[] | undefined {
  const pieces = tokensOf(glob);
  const from = pieces.findIndex((piece, index) => piece === "{" && closingOf(pieces, index) !== undefined);
  const closing = closingOf(pieces, from);
  if (closing === undefined) return undefined;
  const { commas, to } = closing;
  const cuts = [from, ...commas, to];
  const [before, after] = [pieces.slice(0, from), pieces.slice(to + 1)];
  return cuts
    .slice(1)
    .map((cut, index) => [...before, ...pieces.slice((cuts[index] ?? 0) + 1, cut), ...after].join(""));
}

/**
 * Returns the index of the brace that closes the one at `from`, and the indexes of the commas directly between the two.
 * Returns undefined if there is no closing brace or no comma.
 */
function closingOf(
  pieces: readonly string[],
  from: number,
): { readonly to: number; readonly commas: readonly number[] } | undefined {
  const commas: number[] = [];
  let depth = 0;
  for (let index = from; index < pieces.length; index += 1) {
    const piece = pieces[index];
    if (piece === "{") depth += 1;
    if (piece === "}") depth -= 1;
    if (piece === "," && depth === 1) commas.push(index);
    if (depth === 0) return commas.length === 0 ? undefined : { to: index, commas };
  }
  return undefined;
}

/**
 * Splits a glob into single characters. A backslash and the next character stay together, and so does a set such as
 * `[a-z]`.
 */
function tokensOf(glob: string): readonly string[] {
  return glob.match(/\\[\s\S]|\[[!^]?\]?[^\]/]+\]|[\s\S]/gu) ?? [];
}

function splitSegments(glob: string): readonly (readonly string[])[] {
  const segments: string[][] = [[]];
  for (const token of tokensOf(glob)) {
    if (token === "/") segments.push([]);
    else segments.at(-1)?.push(token);
  }
  return segments;
}

function segmentOf(tokens: readonly string[]): Segment {
  if (tokens.join("") === "**") return "any-depth";
  return tokens.map(unitOf);
}

function unitOf(token: string): Unit {
  if (token === "*") return "star";
  if (token === "?") return { one: () => true };
  if (token.length > 1 && token.startsWith("[")) return { one: setOf(token.slice(1, -1)) };
  const literal = token.length > 1 && token.startsWith("\\") ? token.slice(1) : token;
  return { one: (character) => character === literal };
}

function setOf(inner: string): (character: string) => boolean {
  const isNegated = /^[!^]./u.test(inner);
  const ranges = ((isNegated ? inner.slice(1) : inner).match(/[\s\S]-[\s\S]|[\s\S]/gu) ?? []).map((range) => {
    const [low = "", , high = low] = range;
    return { low, high };
  });
  return (character) => ranges.some(({ low, high }) => character >= low && character <= high) !== isNegated;
}

/**
 * Checks whether the pattern matches. Tracks which positions in the pattern can be reached after each name. Everything
 * below a match also matches.
 */
function matchesSegments(pattern: readonly Segment[], names: readonly (readonly string[])[]): boolean {
  let reached = skipDepths(pattern, new Set([0]));
  for (const name of names) {
    const next = new Set<number>();
    for (const at of reached) {
      const segment = pattern[at];
      if (segment === "any-depth") next.add(at);
      else if (segment !== undefined && matchesName(segment, name)) next.add(at + 1);
    }
    reached = skipDepths(pattern, next);
    if (reached.has(pattern.length)) return true;
  }
  return false;
}

/** Adds the positions after each `**`, because `**` also matches zero folders. */
function skipDepths(pattern: readonly Segment[], reached: ReadonlySet<number>): Set<number> {
  const all = new Set(reached);
  for (const at of all) if (pattern[at] === "any-depth") all.add(at + 1);
  return all;
}

/**
 * Checks whether a name matches. The name is given as a list of its characters. Backtracking to the last star is
 * enough, because it can match whatever an earlier star could.
 */
function matchesName(units: readonly Unit[], name: readonly string[]): boolean {
  let [unit, at, star, from] = [0, 0, -1, 0];
  while (at < name.length) {
    const wanted = units[unit];
    if (wanted === "star") {
      [star, from] = [unit, at];
      unit += 1;
    } else if (wanted?.one(name[at] ?? "") === true) {
      unit += 1;
      at += 1;
    } else if (star !== -1) {
      from += 1;
      [unit, at] = [star + 1, from];
    } else return false;
  }
  return units.slice(unit).every((each) => each === "star");
}
