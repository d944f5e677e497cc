import { isWorldlineError } from "../../record/error.ts";
import { type FileState, folderOf, type PathBytes, pathIn } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { type IgnoreRules, RULES_NAME, rulesOf } from "../finding/ignore-rules.ts";
import type { ObjectStore } from "../objects/object.ts";
import { entryNamed, type FolderCache, type Snapshot } from "../objects/tree-objects.ts";

/**
 * Returns the paths that the snapshot's own rules ignore. These rules are the snapshot's `.gitignore` files and the
 * rules that existed outside the workspace at the time of the capture, not the current rules. A path that is not in the
 * snapshot is treated as a file.
 */
export function ignoredIn(
  cache: FolderCache,
  snapshot: Snapshot,
  paths: Iterable<PathBytes>,
): ReadonlySet<PathBytes> {
  const rules = new RulesByFolder(cache, snapshot);
  const ignored = new Set<PathBytes>();
  for (const path of paths) {
    if (path !== "" && rules.ignores(path)) ignored.add(path);
  }
  return ignored;
}

class RulesByFolder {
  readonly #cache: FolderCache;
  /**
   * "ignored" means that the folder is ignored together with everything below it, and that no rule in the folder can
   * change that.
   */
  readonly #known = new Map<PathBytes, IgnoreRules | "ignored">();
  /**
   * The state of each folder that has been visited. Without this cache, each lookup would start from the root, so the
   * time for deep folders would be quadratic in their depth.
   */
  readonly #entered = new Map<PathBytes, FileState | undefined>();

  constructor(cache: FolderCache, snapshot: Snapshot) {
    this.#cache = cache;
    this.#entered.set("", snapshot.root);
    const { outsideRules } = snapshot;
    const outside = outsideRules === undefined ? "" : rulesText(cache.objects, outsideRules);
    this.#known.set("", outside === undefined ? "ignored" : this.#extend(rulesOf(outside), ""));
  }

  ignores(path: PathBytes): boolean {
    const rules = this.#within(folderOf(path));
    if (rules === "ignored") return true;
    const state = this.#stateAt(path);
    if (state?.kind === "left-out" && state.why === "ignored") return true;
    return rules.ignores(path, state?.kind === "folder" ? "folder" : "file");
  }

  #within(folder: PathBytes): IgnoreRules | "ignored" {
    const unknown: PathBytes[] = [];
    let at = folder;
    let rules = this.#known.get(at);
    while (rules === undefined) {
      unknown.push(at);
      at = folderOf(at);
      rules = this.#known.get(at);
    }
    for (const path of unknown.reverse()) {
      if (rules !== "ignored") rules = this.#enter(rules, path);
      this.#known.set(path, rules);
    }
    return rules;
  }

  #enter(above: IgnoreRules, folder: PathBytes): IgnoreRules | "ignored" {
    const state = this.#stateAt(folder);
    this.#entered.set(folder, state);
    if (state?.kind === "left-out" && state.why === "ignored") return "ignored";
    return above.ignores(folder, "folder") ? "ignored" : this.#extend(above, folder);
  }

  #extend(above: IgnoreRules, folder: PathBytes): IgnoreRules | "ignored" {
    const own = this.#stateAt(pathIn(folder, RULES_NAME));
    // As in git, links are not followed.
    if (own?.kind !== "file") return above;
    const text = rulesText(this.#cache.objects, own.hash);
    return text === undefined ? "ignored" : above.within(folder, text);
  }

  /** Returns the state of an entry in a folder that has been visited. */
  #stateAt(path: PathBytes): FileState | undefined {
    const folder = this.#entered.get(folderOf(path));
    if (folder?.kind !== "folder") return undefined;
    return entryNamed(this.#cache.read(folder.hash), path.slice(path.lastIndexOf("/") + 1))?.state;
  }
}

/**
 * Returns the text of the rules, or undefined if it was erased with `forget`. In that case, every path that the erased
 * rules may have applied to counts as ignored.
 */
export function rulesText(objects: ObjectStore, hash: ObjectHash): string | undefined {
  try {
    return objects.get(hash, "content").toString("utf8");
  } catch (error) {
    if (isWorldlineError(error, "SNAPSHOT_MISSING")) return undefined;
    throw error;
  }
}
