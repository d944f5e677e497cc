import { screen } from "./screen.ts";

/** The mode as the status line names it; what is typed for it stays English. */
export function modeName(mode: string): string {
  return Object.entries(screen.status.modes).find(([typed]) => typed === mode)?.[1] ?? mode;
}
