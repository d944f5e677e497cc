import type { PathBytes } from "../../record/files.ts";

/** The order of bytes, for `sort`. Folders come before what they hold: their path begins it. */
export function byBytes(a: PathBytes, b: PathBytes): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

export function byPath(a: { readonly path: PathBytes }, b: { readonly path: PathBytes }): number {
  return byBytes(a.path, b.path);
}
