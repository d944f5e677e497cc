import type { Lease } from "../ports/lease.ts";

/** The leases that a store has given out and not got back. */
export class OpenLeases {
  readonly #leases = new Set<Lease>();

  keep(lease: Lease): Lease {
    this.#leases.add(lease);
    return {
      ...lease,
      release: async () => {
        this.#leases.delete(lease);
        await lease.release();
      },
    };
  }

  /** One that cannot be given back ends with the process. */
  async giveBack(): Promise<void> {
    for (const lease of this.#leases) await lease.release().catch(() => undefined);
    this.#leases.clear();
  }
}
