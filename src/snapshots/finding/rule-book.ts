import { folderOf, type PathBytes } from "../../record/files.ts";
import type { Ground } from "./ground.ts";
import type { IgnoreRules } from "./ignore-rules.ts";
import { readRules } from "./outside-rules.ts";

export const RULES_NAME = ".gitignore";

/** The rules of each folder, read when they are first asked for. It lives for one scan, so that nothing gets old. */
export class RuleBook {
  readonly #ground: Ground;
  readonly #rules = new Map<PathBytes, IgnoreRules>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** The rules for what is in `folder`. */
  in(folder: PathBytes): IgnoreRules {
    const unknown: PathBytes[] = [];
    let at = folder;
    let rules = this.#rules.get(at);
    while (rules === undefined) {
      unknown.push(at);
      rules = at === "" ? this.#ground.outside : this.#rules.get(folderOf(at));
      at = folderOf(at);
    }
    for (const path of unknown.reverse()) {
      const text = this.#textOf(path);
      if (text !== undefined) rules = rules.within(path, text);
      this.#rules.set(path, rules);
    }
    return rules;
  }

  /** Some have changed: all are read again. */
  forget(): void {
    this.#rules.clear();
  }

  #textOf(folder: PathBytes): string | undefined {
    const { disk, root, folders } = this.#ground;
    const memory = folders.get(folder);
    // Folders of another walker have to be asked for it: trying costs an error where it is not there.
    if (memory !== undefined && memory.search(RULES_NAME) < 0) return undefined;
    return readRules(disk, folder === "" ? `${root}/${RULES_NAME}` : `${root}/${folder}/${RULES_NAME}`);
  }
}
