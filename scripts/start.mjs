import { join } from "node:path";
import { build, isOutdated } from "./build.mjs";
import { root, run } from "./run-command.mjs";

// In a terminal, opens the agent in the folder from which the user started it. Outside a terminal and without
// arguments, it demonstrates two claims: that files can be restored regardless of what happened to them, and
// that the finder and its worker find the change that broke a test. Neither demonstration needs a model, a key or a
// network.
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
