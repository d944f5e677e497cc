import { join } from "node:path";
import { build } from "./build.mjs";
import { root, run } from "./run-command.mjs";

// Until the agent exists, a start without arguments plays a scripted story on the real timeline.
const given = process.argv.slice(2);
const args = given.length > 0 ? given : ["story"];

await build();
const { code } = await run(process.execPath, [join(root, "dist", "cli.js"), ...args]);
process.exitCode = code;
