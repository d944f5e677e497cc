/** Undefined where the system says no, for whatever reason. */
export function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    // Missing, forbidden, a circle of links: nothing is known of it, and so nothing is allowed because of it.
    return undefined;
  }
}
