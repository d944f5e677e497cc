import type { TakeOver } from "../../ports/lease.ts";
import type {
  BringRequest,
  Brought,
  ExportedPart,
  ExportRequest,
  ObjectsCheck,
  SnapshotObjects,
} from "../../ports/snapshot-objects.ts";
import type { SnapshotContext } from "../context.ts";
import { acquireShared } from "../keeping/shared-lease.ts";
import { bringObjects } from "./bring-objects.ts";
import { CheckingObjects } from "./check-objects.ts";
import { exportParts } from "./export-objects.ts";

export interface ExchangeOptions {
  /** The name of this program, which other programs show while they wait for it. */
  readonly name: string;
  readonly waitMs: number;
  readonly takeOver?: TakeOver;
  /**
   * The key of the store where the session for the imported objects is created. Undefined for the session files in this
   * home folder.
   */
  readonly sessionsIn?: string | undefined;
}

/** Exports and imports the objects in the store on disk. */
export class StoredSnapshotObjects implements SnapshotObjects {
  readonly #context: SnapshotContext;
  readonly #options: ExchangeOptions;

  constructor(context: SnapshotContext, options: ExchangeOptions) {
    this.#context = context;
    this.#options = options;
  }

  async *exporting(request: ExportRequest): AsyncGenerator<ExportedPart> {
    const { disk, places, objects, folders } = this.#context;
    if (disk.stat(places.root) === undefined) {
      yield { part: "snapshots", there: [], missing: [...new Set(request.snapshots)] };
      return;
    }
    const lease = await acquireShared(this.#context, places.leases, this.#options);
    try {
      objects.refresh();
      folders.clear();
      yield* exportParts(this.#context, request);
    } finally {
      await lease.release();
    }
  }

  checking(): ObjectsCheck {
    return new CheckingObjects();
  }

  async bring(request: BringRequest): Promise<Brought> {
    const lease = await acquireShared(this.#context, this.#context.places.leases, this.#options);
    try {
      return await bringObjects(this.#context, request, this.#options.sessionsIn);
    } finally {
      await lease.release();
    }
  }

  close(): void {
    this.#context.objects.close();
  }
}
