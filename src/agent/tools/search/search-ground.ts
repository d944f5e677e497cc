import type { Environment } from "../bash/shell-environment.ts";

export interface SearchOptions {
  readonly workspace: string;
  readonly environment: Environment;
  /** The rules that deny, of which those for paths hold for what is found too; by default there are none. */
  readonly denied?: readonly string[];
}

/** How ripgrep walks for us: ignore rules hold without git too, hidden files are looked at, git's own are not. */
export const WALKING: readonly string[] = ["--hidden", "--no-require-git", "--glob=!.git"];
