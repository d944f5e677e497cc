import { prepareForFewFiles } from "./cli/few-files.ts";
import { version } from "./version.ts";

/** The same check as `screenOf` makes later, for a command line without arguments. */
function canDrawScreen({ stdin, stdout, env }: typeof process): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && env["TERM"] !== "dumb";
}

// Scripts and editors run `--version` whenever they start, so it loads nothing else.
const args = process.argv.slice(2);
const isVersion = (each: string) => each === "--version" || each === "-V";

if (args.some(isVersion) && args.every((each) => isVersion(each) || each === "--json")) {
  const text = args.includes("--json") ? JSON.stringify({ version }, undefined, 2) : version;
  try {
    // Not process.stdout: creating that stream takes as long as everything else together. Not an import of node:fs either,
    // which loads streams as well.
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
