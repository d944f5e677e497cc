import { version } from "./version.ts";

// `--version` is asked by scripts and editors at every start of theirs: it loads nothing else.
const args = process.argv.slice(2);
const isVersion = (each: string) => each === "--version" || each === "-V";

if (args.some(isVersion) && args.every((each) => isVersion(each) || each === "--json")) {
  // A reader that is gone already is no failure of ours.
  process.stdout.on("error", () => undefined);
  process.stdout.write(
    args.includes("--json") ? `${JSON.stringify({ version }, undefined, 2)}\n` : `${version}\n`,
  );
} else {
  const { start } = await import("./start.ts");
  await start(args);
}
