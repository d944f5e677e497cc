import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isStarted, root } from "./run-command.mjs";

const tools = join(root, "src", "agent", "tools");
const generated = join(tools, "generated/descriptions.ts");

/** `bash-output.md` becomes `bashOutput`. @param {string} file */
function keyOf(file) {
  return basename(file, ".md").replace(/-(\w)/g, (_, /** @type {string} */ letter) => letter.toUpperCase());
}

/**
 * Renders the descriptions of all tools as a module. They are read at build time, so that the program does not need any
 * files next to it.
 * @returns {string}
 */
export function renderDescriptions() {
  const files = readdirSync(tools, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".md"),
  );
  const rows = files
    .map((file) => ({ key: keyOf(file), text: readFileSync(join(tools, file), "utf8").trim() }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  const twice = rows.find(({ key }, index) => rows[index + 1]?.key === key);
  if (twice !== undefined) throw new Error(`Two descriptions have the name ${twice.key}.`);
  return [
    "// Made by scripts/generate-descriptions.mjs from the .md files beside the tools. Change those, and run it.",
    "export const descriptions = {",
    ...rows.map(({ key, text }) => `  ${key}: ${JSON.stringify(text)},`),
    "} as const;",
    "",
  ].join("\n");
}

function isCurrent() {
  try {
    return readFileSync(generated, "utf8") === renderDescriptions();
  } catch {
    return false;
  }
}

if (isStarted(import.meta.url)) {
  if (!process.argv.includes("--check")) {
    mkdirSync(dirname(generated), { recursive: true });
    writeFileSync(generated, renderDescriptions());
  } else if (!isCurrent()) {
    console.error(
      "The descriptions of the tools have changed. Run `node scripts/generate-descriptions.mjs`.",
    );
    process.exitCode = 1;
  }
}
