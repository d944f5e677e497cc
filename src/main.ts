import { checkOpenFilesLimit } from "./cli/open-files-limit.ts";
import { version } from "./version.ts";

/**
 * Checks early whether the screen can be drawn, for a command line without arguments. `screenOf` in
 * `cli/commands/agent/agent.ts` makes the final decision later.
 */
function canDrawScreen({ stdin, stdout, env }: typeof process): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && env["TERM"] !== "dumb";
}

const args = process.argv.slice(2);
const isVersion = (arg: string) => arg === "--version" || arg === "-V";

// Scripts and editors often run `--version` at startup, so this command loads only the two modules imported above.
if (args.some(isVersion) && args.every((arg) => isVersion(arg) || arg === "--json")) {
  const text = args.includes("--json") ? JSON.stringify({ version }, undefined, 2) : version;
  try {
    // `process.stdout` is slow to create. An `import` of `node:fs` would load the stream modules; `getBuiltinModule`
    // does not.
    process.getBuiltinModule("node:fs").writeSync(1, `${text}\n`);
  } catch (error) {
    // If the reader has closed the pipe, there is nothing to report, and no one to report it to.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") process.exitCode = 1;
  }
} else if (checkOpenFilesLimit() === "refuse") {
  // The reason has already been printed.
  process.exitCode = 1;
} else {
  const { drawFirstFrame, restoreTerminal, handOverTerminal } = await import("./tui/terminal/first-frame.ts");
  if (args.length === 0 && canDrawScreen(process)) drawFirstFrame();
  const { start } = await import("./cli/start.ts");
  await start(args, {
    // Called if `screenOf` decides against the screen although its frame was drawn above.
    restoreTerminal,
    runTerminal: async (options) => {
      // Does nothing if the frame was drawn above.
      drawFirstFrame();
      const { runTerminal } = await import("./tui/tui.ts");
      // From now on, the terminal interface restores the terminal itself.
      handOverTerminal();
      return runTerminal(options);
    },
  });
}
