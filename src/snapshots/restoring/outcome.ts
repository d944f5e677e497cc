/** What became of one path, without its name. */
export interface Outcome {
  readonly outcome: "restored" | "kept" | "failed";
  readonly why?: string;
}

export const RESTORED: Outcome = { outcome: "restored" };

export function kept(why: string): Outcome {
  return { outcome: "kept", why };
}

export function failed(why: string): Outcome {
  return { outcome: "failed", why };
}

/** The same outcome, with one more thing to say about it. */
export function saying(outcome: Outcome, more: string): Outcome {
  return { ...outcome, why: outcome.why === undefined ? more : `${outcome.why}; ${more}` };
}
