import type { OutputStream } from "./pipe.ts";

/** How wide a line may be. Without a terminal nothing is cut: a file or a program reads it. */
export function columnsOf({ isTTY, columns }: OutputStream): number {
  return isTTY === true && columns !== undefined && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}
