import { folderOf, type LeftOut } from "../../record/files.ts";
import type { PathStat } from "../workspace/workspace-disk.ts";
import { isGenerated, isLarge, whyNotFolder } from "./coverage.ts";
import type { FolderMemory } from "./folder-memory.ts";
import type { Ground } from "./ground.ts";
import { RuleBook } from "./rule-book.ts";

/** Decides which folders are left out, and remembers which ignored ones have to be measured again. */
export class Decisions {
  readonly #ground: Ground;
  readonly #rules: RuleBook;
  readonly #measured = new Set<FolderMemory>();
  readonly #touched = new Set<FolderMemory>();

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#rules = new RuleBook(ground);
  }

  /** Why the folder is left out. Writes down at the folder whether it is ignored. */
  whyNot(folder: FolderMemory, stat: PathStat): LeftOut | undefined {
    if (folder.path === "") return undefined;
    const { disk, coverage } = this.#ground;
    const why = whyNotFolder(folder.name, { disk, place: folder.absolute, stat }, coverage);
    if (why !== undefined) return why;
    const above = this.#above(folder);
    if (above !== undefined && above.ignored !== "no") folder.ignored = "below";
    else folder.ignored = this.#rules.in(folderOf(folder.path)).ignores(folder.path, "folder") ? "top" : "no";
    if (folder.ignored === "no") return undefined;
    return isGenerated(folder.name) || this.#isTooLarge(folder) ? "ignored" : undefined;
  }

  forgetRules(): void {
    this.#rules.forget();
  }

  /** Something in `folder` has changed: the ignored folder it belongs to may be too large by now. */
  touch(folder: FolderMemory | undefined): void {
    if (folder === undefined || folder.ignored === "no") return;
    const top = this.#topOf(folder);
    if (!this.#measured.has(top)) this.#touched.add(top);
  }

  /** Ignored folders that are captured, in which something has changed. */
  touched(): FolderMemory[] {
    return [...this.#touched].filter((top) => top.state === "walked" && top.ignored === "top");
  }

  #isTooLarge(folder: FolderMemory): boolean {
    // What is new in an ignored folder is measured before it is walked, unless what it is in just was.
    for (let at = this.#above(folder); at !== undefined && at.ignored !== "no"; at = this.#above(at)) {
      if (this.#measured.has(at)) return false;
    }
    this.#measured.add(folder);
    return isLarge(this.#ground.disk, folder.absolute, this.#ground.coverage);
  }

  #topOf(folder: FolderMemory): FolderMemory {
    let at = folder;
    while (at.ignored === "below") {
      const above = this.#above(at);
      if (above === undefined) break;
      at = above;
    }
    return at;
  }

  #above(folder: FolderMemory): FolderMemory | undefined {
    return folder.path === "" ? undefined : this.#ground.folders.get(folderOf(folder.path));
  }
}
