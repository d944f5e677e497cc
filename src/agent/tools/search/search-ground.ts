import type { Environment } from "../bash/shell-environment.ts";

export interface SearchGround {
  readonly workspace: string;
  readonly environment: Environment;
}

/** How ripgrep walks for us: ignore rules hold without git too, hidden files are looked at, git's own are not. */
export const WALKING: readonly string[] = ["--hidden", "--no-require-git", "--glob=!.git"];
