import { join } from "node:path";
import { build, isOutdated } from "./build.mjs";
import { root, run } from "./run-command.mjs";

// In a terminal, opens the agent in the folder where the user called it. Otherwise, and without arguments, it
// proves two claims: that files can be restored whatever happened to them, and that the finder and its worker
// name what broke a test. Neither needs a model, a key or a network.
const given = process.argv.slice(2);
const hasScreen = process.stdin.isTTY && process.stdout.isTTY && process.env["TERM"] !== "dumb";
const cwd = hasScreen ? (process.env["INIT_CWD"] ?? process.cwd()) : root;
const commands = given.length > 0 || hasScreen ? [given] : [["prove"], ["find", "--sample"]];

if (isOutdated()) console.log("Building Worldline, which takes a few seconds ...");
await build();
for (const [index, words] of commands.entries()) {
  if (index > 0) process.stdout.write("\n");
  const { code } = await run(process.execPath, [join(root, "dist", "cli.js"), ...words], { cwd });
  if (code !== 0) {
    process.exitCode = code;
    break;
  }
}
