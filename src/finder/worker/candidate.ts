/** A change that may have broken it, and how to take it back where it stands now. */
export interface Candidate {
  /** Short, without spaces, and the same for the same change: notes name it by this. */
  readonly id: string;
  /** Within the workspace. */
  readonly path: string;
  /** Which change it is: "src/tax.mjs, line 5, changed between #5 and #6 of k3f9x2m7q1". */
  readonly about: string;
  readonly how:
    | { readonly do: "edit"; readonly old: string; readonly now: string }
    /** `was`: what is there now; without it nothing is. */
    | { readonly do: "write"; readonly content: string; readonly was?: string }
    | { readonly do: "remove"; readonly was: string }
    | { readonly do: "command"; readonly command: string; readonly back: string };
}
