import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError } from "../../record/error.ts";

/**
 * The files of a workspace for a long time. Opened anew after a failure that lasts: what the store could not take waits in
 * memory, and would be in the way even when nobody wants it any more.
 */
export class FilesHolder {
  readonly #open: () => Promise<WorkspaceFiles>;
  #files: WorkspaceFiles | undefined;

  constructor(open: () => Promise<WorkspaceFiles>) {
    this.#open = open;
  }

  async get(): Promise<WorkspaceFiles> {
    this.#files ??= await this.#open();
    return this.#files;
  }

  /** Resolves with why not all could be written, where that is so. Can be used again afterwards. */
  async close(): Promise<string | undefined> {
    const files = this.#files;
    this.#files = undefined;
    try {
      await files?.close();
      return undefined;
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      return error.message;
    }
  }
}
