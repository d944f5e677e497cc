import { type PathBytes, pathIn } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { rulesText } from "../comparing/ignored-in.ts";
import { type IgnoreRules, rulesOf } from "../finding/ignore-rules.ts";
import { RULES_NAME } from "../finding/rule-book.ts";
import { ObjectTable } from "../keeping/marking/object-table.ts";
import type { FolderCache } from "../objects/folder-cache.ts";
import { entryNamed, type Folder } from "../objects/folder-object.ts";
import type { Snapshot } from "../objects/snapshot-object.ts";

/** A folder, and the rules that hold for what is in it. */
interface Visit {
  readonly path: PathBytes;
  readonly hash: ObjectHash;
  readonly rules: KnownRules;
}

/** Rules that are the same have the same name, so that a folder which snapshots share is judged once. */
interface KnownRules {
  readonly name: string;
  readonly rules: IgnoreRules;
}

/** The contents that some snapshot has at a path which its rules do not ignore, and those rules. */
export class Unignored {
  readonly #folders: FolderCache;
  readonly #contents = new ObjectTable();
  readonly #visited = new Set<string>();

  constructor(folders: FolderCache) {
    this.#folders = folders;
  }

  has(content: ObjectHash): boolean {
    return this.#contents.find(content) !== undefined;
  }

  /** The rules outside are no file of the workspace, and without them nobody could say what was ignored. */
  add({ root, outsideRules }: Snapshot): void {
    if (outsideRules !== undefined) this.#add(outsideRules);
    const outside = outsideRules === undefined ? "" : rulesText(this.#folders.objects, outsideRules);
    // Nobody can say any more what was ignored, so nothing counts as not ignored.
    if (outside === undefined) return;
    const rules = { name: outsideRules ?? "", rules: rulesOf(outside) };
    const waiting: Visit[] = [{ path: "", hash: root.hash, rules }];
    for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
      for (const below of this.#visit(visit)) waiting.push(below);
    }
  }

  #visit({ path, hash, rules: above }: Visit): Visit[] {
    const key = `${above.name} ${hash} ${path}`;
    if (this.#visited.has(key)) return [];
    this.#visited.add(key);
    const folder = this.#folders.read(hash);
    const rules = this.#extend(above, path, folder);
    if (rules === undefined) return [];
    const below: Visit[] = [];
    for (const { name, state } of folder.entries) {
      if (state.kind !== "file" && state.kind !== "folder") continue;
      const own = pathIn(path, name);
      if (rules.rules.ignores(own, state.kind)) continue;
      if (state.kind === "folder") below.push({ path: own, hash: state.hash, rules });
      else this.#add(state.hash);
    }
    return below;
  }

  #add(content: ObjectHash): void {
    if (!this.has(content)) this.#contents.add(content, 0);
  }

  /** Undefined where the rules are lost, as above. As in git, a link is not followed. */
  #extend(above: KnownRules, path: PathBytes, folder: Folder): KnownRules | undefined {
    const own = entryNamed(folder, RULES_NAME)?.state;
    if (own?.kind !== "file") return above;
    const text = rulesText(this.#folders.objects, own.hash);
    if (text === undefined) return undefined;
    return { name: `${above.name} ${path}/${own.hash}`, rules: above.rules.within(path, text) };
  }
}
