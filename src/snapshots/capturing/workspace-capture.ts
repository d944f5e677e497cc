import { isWorldlineError } from "../../record/error.ts";
import type { WorkspaceGround } from "../workspace-ground.ts";
import { Capturing, type Taken, type TakeRequest } from "./capturing.ts";
import type { Finder, OpenFinder } from "./finder.ts";
import { headerText, readManifest, writeManifest } from "./manifest.ts";
import { mappingsAt } from "./mapped-files.ts";

/** So many paths are not looked at again for want of a manifest, should this program be killed. */
const SAVE_AT_ONCE = 1_000;

/** The capturing of one workspace: begun from the manifest when it is first needed, remembered for the next process. */
export class WorkspaceCapture {
  readonly #ground: WorkspaceGround;
  readonly #outsideRules: string;
  readonly #openFinder: OpenFinder;
  #open: { readonly capturing: Capturing; readonly finder: Finder } | undefined;

  constructor(ground: WorkspaceGround, outsideRules: string, openFinder: OpenFinder) {
    this.#ground = ground;
    this.#outsideRules = outsideRules;
    this.#openFinder = openFinder;
  }

  async take(request: TakeRequest): Promise<Taken> {
    this.#open ??= this.#begin();
    const taken = await this.#takeOrForget(this.#open.capturing, request);
    if (taken.edits >= SAVE_AT_ONCE) {
      // Durable before the manifest names it; and what is written behind it, the snapshot, shows other processes that it is.
      this.#ground.store.objects.sync();
      await this.save();
    }
    return taken;
  }

  /** For when the store may have let go of what this one builds on: the next capture looks at everything. */
  async forget(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.finder.close();
  }

  get isUnsaved(): boolean {
    return this.#open?.capturing.unsaved() !== undefined;
  }

  /** The caller holds the store's lease, so that what the manifest builds on is there. */
  async save(): Promise<void> {
    const root = this.#open?.capturing.unsaved();
    if (this.#open === undefined || root === undefined) return;
    const { store, places, limits } = this.#ground;
    const header = headerText({ root, limits });
    const bytes = await this.#open.finder.save(header);
    if (bytes === undefined) return;
    writeManifest(store, places, bytes);
    this.#open.capturing.saved();
  }

  /**
   * Whoever looked remembers what it saw, and does not report it again; after a failure nobody can say how much of that
   * has come here. So the next capture begins from the manifest.
   */
  async #takeOrForget(capturing: Capturing, request: TakeRequest): Promise<Taken> {
    try {
      return await capturing.take(request);
    } catch (error) {
      if (!isWorldlineError(error, "CANCELLED")) await this.forget();
      throw error;
    }
  }

  #begin(): { readonly capturing: Capturing; readonly finder: Finder } {
    const { store, places, limits, disk, root } = this.#ground;
    const outsideRules = this.#outsideRules;
    const manifest = readManifest(store, places, limits);
    const finder = this.#openFinder(this.#ground, { outsideRules, manifest: manifest?.bytes });
    const capturing = new Capturing({
      disk,
      root,
      finder,
      folders: store.folders,
      maxFileBytes: limits.maxFileBytes,
      base: manifest?.root,
      mappings: mappingsAt(root),
    });
    return { capturing, finder };
  }
}
