import type { Entry } from "../../../record/entry.ts";

/** Takes something out of the entries of one session, given to it in the order of the log, as they are stored. */
export interface Eraser {
  /** Gives the same entry when there is nothing to take out of it. */
  erase(entry: Entry): Erased;
}

export interface Erased {
  readonly entry: Entry;
  /** How often something was taken out. */
  readonly times: number;
  /** Texts that cannot be searched because they are damaged; they go when the session is rewritten. */
  readonly lost: number;
}
