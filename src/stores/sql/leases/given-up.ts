const NAME = Symbol.for("worldline.leases.given-up");

/**
 * The tokens of leases that nobody in this process holds any more although their rows may say so: giving them back
 * failed. Of all copies of this code in the process, because a row names the process alone. What is held is never
 * among them, so no copy, and no thread, can take a lease from another that holds it.
 */
export function givenUpLeases(): Set<string> {
  const shared = globalThis as { [NAME]?: Set<string> };
  shared[NAME] ??= new Set();
  return shared[NAME];
}
