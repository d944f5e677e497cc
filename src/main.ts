import { prepareForFewFiles } from "./cli/few-files.ts";
import { version } from "./version.ts";

/** Decides early, for a command line without arguments, what `screenOf` will decide later. */
function canDrawScreen({ stdin, stdout, env }: typeof process): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && env["TERM"] !== "dumb";
}

// Scripts and editors often run `--version` at startup, so this path loads nothing else.
const args = process.argv.slice(2);
const isVersion = (each: string) => each === "--version" || each === "-V";

if (args.some(isVersion) && args.every((each) => isVersion(each) || each === "--json")) {
  const text = args.includes("--json") ? JSON.stringify({ version }, undefined, 2) : version;
  try {
    // Writes without process.stdout, because creating that stream takes as long as everything else combined. Importing
    // node:fs would load streams as well, so it is not imported either.
    process.getBuiltinModule("node:fs").writeSync(1, `${text}\n`);
  } catch {
    // The reader has already closed the pipe, which is not an error.
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
