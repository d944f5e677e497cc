import { join } from "node:path";
import { build } from "./build.mjs";
import { root, run } from "./run-command.mjs";

// Until the agent exists, a start without arguments plays a scripted story on the real timeline, and then attacks
// files of its own making and brings them back.
const given = process.argv.slice(2);
const commands = given.length > 0 ? [given] : [["story"], ["prove"]];

await build();
for (const words of commands) {
  const { code } = await run(process.execPath, [join(root, "dist", "cli.js"), ...words]);
  if (code !== 0) {
    process.exitCode = code;
    break;
  }
}
