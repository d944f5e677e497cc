import { prepareForFewFiles } from "./cli/few-files.ts";
import { version } from "./version.ts";

/** The same as `screenOf` decides later, for a command line without words. */
function canDrawScreen({ stdin, stdout, env }: typeof process): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && env["TERM"] !== "dumb";
}

// Scripts and editors ask for `--version` at each of their starts, so it loads nothing else.
const args = process.argv.slice(2);
const isVersion = (each: string) => each === "--version" || each === "-V";

if (args.some(isVersion) && args.every((each) => isVersion(each) || each === "--json")) {
  const text = args.includes("--json") ? JSON.stringify({ version }, undefined, 2) : version;
  try {
    // Not process.stdout: making that stream takes as long as all the rest.
    // Nor an import of node:fs, which loads streams with it.
    process.getBuiltinModule("node:fs").writeSync(1, `${text}\n`);
  } catch {
    // The reader has already left, which is not an error.
  }
} else if (prepareForFewFiles() === "refuse") {
  process.exitCode = 1;
} else {
  const { drawFirstPicture, giveBackPicture, handOverPicture } = await import(
    "./tui/terminal/first-picture.ts"
  );
  if (args.length === 0 && canDrawScreen(process)) drawFirstPicture();
  const { start } = await import("./cli/start.ts");
  await start(args, {
    giveBack: giveBackPicture,
    run: async (options) => {
      drawFirstPicture();
      const { runTerminal } = await import("./tui/tui.ts");
      handOverPicture();
      return runTerminal(options);
    },
  });
}
