import { prepareForFewFiles } from "./cli/few-files.ts";
import { version } from "./version.ts";

/** As `screenOf` says of a command line without words, which is all that is known so early. */
function canDrawScreen({ stdin, stdout, env }: typeof process): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && env["TERM"] !== "dumb";
}

// `--version` is asked by scripts and editors at every start of theirs: it loads nothing else.
const args = process.argv.slice(2);
const isVersion = (each: string) => each === "--version" || each === "-V";

if (args.some(isVersion) && args.every((each) => isVersion(each) || each === "--json")) {
  const text = args.includes("--json") ? JSON.stringify({ version }, undefined, 2) : version;
  try {
    // Not process.stdout: making that stream takes as long as all the rest.
    // Nor an import of node:fs, which loads streams with it.
    process.getBuiltinModule("node:fs").writeSync(1, `${text}\n`);
  } catch {
    // A reader that is gone already is no failure of ours.
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
