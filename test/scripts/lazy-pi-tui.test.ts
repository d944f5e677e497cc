import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as piTui from "@earendil-works/pi-tui";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { lazyPiTui } from "../../scripts/lazy-pi-tui.mjs";
import { inTempFolder } from "../../src/testing/temp-folder.ts";

type PiTui = Pick<typeof piTui, "visibleWidth" | "truncateToWidth" | "wrapTextWithAnsi">;

async function asBuilt(): Promise<PiTui> {
  const names = "visibleWidth, truncateToWidth, wrapTextWithAnsi";
  return inTempFolder(async (folder) => {
    const outfile = join(folder, "pi-tui.mjs");
    await build({
      stdin: {
        contents: `export { ${names} } from "@earendil-works/pi-tui";`,
        resolveDir: import.meta.dirname,
      },
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      external: ["koffi"],
      plugins: [lazyPiTui],
    });
    return (await import(pathToFileURL(outfile).href)) as PiTui;
  });
}

/**
 * Printable characters of the first two planes, each between others, to expose any that join their neighbors.
 */
function* everyCharacter(): Generator<string> {
  for (let codePoint = 0x20; codePoint < 0x10000; codePoint += 1)
    yield `中${String.fromCharCode(codePoint)}a`;
  for (let codePoint = 0x1f000; codePoint < 0x1fc00; codePoint += 1)
    yield `✓${String.fromCodePoint(codePoint)}`;
}

describe("pi-tui as it is built", () => {
  it("gives every character the width that pi-tui gives it", async () => {
    const { visibleWidth } = await asBuilt();
    const differing = [...everyCharacter()].filter((text) => visibleWidth(text) !== piTui.visibleWidth(text));
    expect(differing).toEqual([]);
  });

  it.each([
    "│ ● ✓ ❯ 状态 status",
    "👩‍👩‍👧 and 🇩🇪 and ❤️ and ⏸️ and 1️⃣",
    "e\u0301a\u200db",
    "\x1b[1m中文\x1b[0m 的 test",
  ])("cuts and wraps %j as pi-tui does", async (text) => {
    const drawn = (library: PiTui) =>
      [1, 2, 3, 5, 8, 13].map((width) => [
        library.truncateToWidth(text, width),
        library.wrapTextWithAnsi(text, width),
      ]);
    expect(drawn(await asBuilt())).toEqual(drawn(piTui));
  });
});
