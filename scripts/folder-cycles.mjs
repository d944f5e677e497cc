/**
 * Finds import cycles in a tree of sources: sibling folders that import each other, directly or through other folders.
 * Files in the parent folder itself do not belong to any of these folders, except that each file directly in src/ counts
 * as a folder: a cycle may lead through it. demo/ counts as a folder of src/. Type imports count too.
 * @param {readonly (readonly [from: string, to: string])[]} imports paths of files
 * @returns {readonly { parent: string, folders: readonly string[], examples: readonly string[] }[]}
 */
export function folderCycles(imports) {
  return [...arrowsByParent(imports)].flatMap(([parent, arrows]) =>
    knotsOf(arrows).map((folders) => ({ parent, folders, examples: examplesIn(arrows, folders) })),
  );
}

/**
 * @typedef {Map<string, Map<string, string>>} Arrows from one folder to another, with an import as an example of the
 * arrow
 */

/** @param {readonly (readonly [from: string, to: string])[]} imports */
function arrowsByParent(imports) {
  /** @type {Map<string, Arrows>} */
  const parents = new Map();
  for (const [from, to] of imports) {
    const [left, right] = [segmentsOf(from), segmentsOf(to)];
    let depth = 0;
    while (left[depth] === right[depth] && depth < left.length - 1) depth += 1;
    // The last segment of a path is the file itself, not a folder.
    if (depth >= left.length - 1 || depth >= right.length - 1) continue;
    const parent = left.slice(0, depth).join("/");
    const arrows = parents.get(parent) ?? new Map();
    const [one, other] = [left[depth] ?? "", right[depth] ?? ""];
    parents.set(parent, arrows);
    arrows.set(one, (arrows.get(one) ?? new Map()).set(other, `${from} -> ${to}`));
  }
  return parents;
}

/** @param {string} path */
function segmentsOf(path) {
  const segments = path.split("/");
  if (segments[0] === "demo") return ["src", ...segments];
  return segments[0] === "src" && segments.length === 2 ? [...segments, "itself"] : segments;
}

/** @param {Arrows} arrows */
function knotsOf(arrows) {
  const reachable = new Map([...arrows.keys()].map((folder) => [folder, reachableFrom(arrows, folder)]));
  /** @type {string[][]} */
  const knots = [];
  for (const [folder, there] of reachable) {
    if (!there.has(folder) || knots.some((knot) => knot.includes(folder))) continue;
    knots.push([...there].filter((other) => reachable.get(other)?.has(folder)).toSorted());
  }
  return knots;
}

/** @param {Arrows} arrows @param {string} start */
function reachableFrom(arrows, start) {
  /** @type {Set<string>} */
  const seen = new Set();
  const waiting = [...(arrows.get(start)?.keys() ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    waiting.push(...(arrows.get(next)?.keys() ?? []));
  }
  return seen;
}

/** @param {Arrows} arrows @param {readonly string[]} knot */
function examplesIn(arrows, knot) {
  return knot.flatMap((folder) =>
    [...(arrows.get(folder) ?? [])].flatMap(([other, example]) => (knot.includes(other) ? [example] : [])),
  );
}
