import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { removeTree } from "../../src/testing/temp-folder.ts";

// Runs before every test file. Each gets its own home, so that no test can read the user's settings or
// sessions, and no two files share a folder.
const home = mkdtempSync(join(tmpdir(), "worldline-test-home-"));
const places = {
  HOME: home,
  USERPROFILE: home,
  WORLDLINE_HOME: join(home, ".worldline"),
  XDG_CONFIG_HOME: join(home, "config"),
  XDG_DATA_HOME: join(home, "data"),
  XDG_STATE_HOME: join(home, "state"),
  XDG_CACHE_HOME: join(home, "cache"),
  CLAUDE_CONFIG_DIR: join(home, "claude"),
};
for (const folder of Object.values(places)) mkdirSync(folder, { recursive: true });
Object.assign(process.env, places);

// A fixed locale, so that the output of programs started by tests does not depend on the user's language.
Object.assign(process.env, { LANG: "C.UTF-8", LC_ALL: "", LC_MESSAGES: "" });

afterAll(() => removeTree(home));
