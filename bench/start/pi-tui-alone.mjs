import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The smallest possible screen with an editor, using the same library as our screen. */
const program = `
import { Editor, ProcessTerminal, TUI } from "@earendil-works/pi-tui";

const plain = (text) => text;
const list = { selectedPrefix: plain, selectedText: plain, description: plain, scrollInfo: plain, noMatch: plain };
process.stdout.write("\\x1b[?1049h");
const tui = new TUI(new ProcessTerminal());
const editor = new Editor(tui, { borderColor: plain, selectList: list });
tui.addChild({ render: () => Array.from({ length: 20 }, () => ""), invalidate() {} });
tui.addChild(editor);
tui.addChild({ render: () => ["status"], invalidate() {} });
tui.setFocus(editor);
tui.start();
`;

/**
 * Builds this program the way our own command line is built, as one file.
 * @param {string} folder
 * @returns {Promise<string>} Its path.
 */
export async function buildPiTuiAlone(folder) {
  const { build } = await import("esbuild");
  const outfile = join(folder, "pi-tui-alone.mjs");
  await build({
    absWorkingDir: root,
    stdin: { contents: program, resolveDir: root },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: ["koffi"],
    logLevel: "warning",
  });
  return outfile;
}
