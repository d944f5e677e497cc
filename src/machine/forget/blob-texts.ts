import type { LogStore } from "../../ports/log-store.ts";
import type { Entry } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { BlobHash, SessionId } from "../../record/ids.ts";
import type { Json } from "../../record/parts.ts";
import { blobsOf, spillText } from "../../record/shape.ts";
import { hashOf } from "../writer.ts";

export type BlobText =
  | { readonly state: "whole"; readonly text: string }
  /** A blob that cannot be searched and therefore could contain anything. */
  | { readonly state: "damaged" }
  | { readonly state: "missing" };

/** The long strings of one session, both the existing ones and their replacements. */
export class BlobTexts {
  readonly #store: LogStore;
  readonly #session: SessionId;
  readonly #textsByHash = new Map<BlobHash, BlobText>();
  readonly #newByHash = new Map<BlobHash, Uint8Array>();

  constructor(store: LogStore, session: SessionId) {
    this.#store = store;
    this.#session = session;
  }

  /** Loads the strings of these entries, and drops all strings that were loaded before. */
  async turnTo(entries: readonly Entry[]): Promise<void> {
    this.#textsByHash.clear();
    for (const hash of new Set(entries.flatMap(blobsOf))) {
      this.#textsByHash.set(hash, await readBlobText(this.#store, this.#session, hash));
    }
  }

  get(hash: BlobHash): BlobText {
    return this.#textsByHash.get(hash) ?? { state: "missing" };
  }

  /**
   * Creates a new blob for a string. Returns the value that the entry's line stores in place of the text, including the
   * new beginning of the text.
   */
  put(text: string): Json {
    return spillText(text, (whole) => {
      const bytes = Buffer.from(whole, "utf8");
      const hash = hashOf(bytes);
      this.#newByHash.set(hash, bytes);
      return hash;
    });
  }

  /** The blobs that must be durable before an entry refers to them. */
  get toWrite(): readonly Uint8Array[] {
    return [...this.#newByHash.values()];
  }
}

export async function readBlobText(store: LogStore, session: SessionId, hash: BlobHash): Promise<BlobText> {
  try {
    return { state: "whole", text: Buffer.from(await store.getBlob(session, hash)).toString("utf8") };
  } catch (error) {
    if (isWorldlineError(error, "BLOB_MISSING")) return { state: "missing" };
    if (isWorldlineError(error, "BLOB_DAMAGED")) return { state: "damaged" };
    throw error;
  }
}
