import { spawn } from "node:child_process";
import { once } from "node:events";
import { build } from "./build.mjs";
import { root } from "./run-command.mjs";

await build();
const child = spawn(process.execPath, ["bench/live/live.mjs", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
// The terminal sends the signal to this process and to the child; the child cleans up, and this process waits for it.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => child.kill("SIGTERM"));
const [code] = await once(child, "close");
process.exitCode = typeof code === "number" ? code : 1;
