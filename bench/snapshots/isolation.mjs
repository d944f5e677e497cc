import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const config = `[user]
  name = Bench
  email = bench@example.invalid
[commit]
  gpgSign = false
[gc]
  auto = 0
`;

/** Printed with every table, because isolation favors contenders whose git would pack in the background. */
export const packingNote =
  "gc.auto=0 for all: otherwise, a background `git pack-objects` that one contender started would count against the next contender.";

/**
 * An environment in which git and contenders do not read or write anything outside `home`:
 * there are no user settings, no repository in a parent folder, and no packing in the background.
 * @param {string} home
 */
export function isolated(home) {
  mkdirSync(join(home, "tmp"), { recursive: true });
  const settings = join(home, ".gitconfig");
  writeFileSync(settings, config);
  const kept = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(GIT|XDG|WORLDLINE)_/.test(name)),
  );
  return {
    ...kept,
    HOME: home,
    TMPDIR: join(home, "tmp"),
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_DATA_HOME: join(home, "data"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(home, "cache"),
    GIT_CONFIG_GLOBAL: settings,
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CEILING_DIRECTORIES: dirname(home),
  };
}
