import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-command.mjs";

// npm runs this before it publishes. The repository has no public address yet: package.json contains a
// placeholder that must not be published. `npm publish --dry-run` is allowed, because it does not publish anything.
const { repository, homepage, bugs } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const isPlaceholder = [repository.url, homepage, bugs.url].some((each) => each.includes("example.com/"));
if (isPlaceholder && process.env["npm_config_dry_run"] !== "true") {
  console.error(
    "Before publishing, put the repository's address into package.json: repository, homepage and bugs.",
  );
  process.exitCode = 1;
}
