import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { clipboardImage } from "../../../src/tui/terminal/prompt-input.ts";

const PNG = Buffer.from("89504e470d0a1a0a00000000", "hex");

/** Creates a program with this name that prints the file `printed` when its arguments contain `about`. */
function program(folder: string, name: string, about: string): void {
  const path = join(folder, name);
  const script = `case "$*" in *${about}*) exec cat "${folder}/printed";; esac\necho no such thing >&2\nexit 1\n`;
  writeFileSync(path, `#!/bin/sh\n${script}`);
  chmodSync(path, 0o755);
}

function pathOf(folder: string): string {
  return `${folder}:/usr/bin:/bin`;
}

describe("an image in the clipboard", () => {
  it.each([
    ["wl-paste", "WAYLAND_DISPLAY"],
    ["xclip", "DISPLAY"],
  ])("is what %s prints", async (name, variable) => {
    await inTempFolder(async (folder) => {
      program(folder, name, "image/png");
      writeFileSync(join(folder, "printed"), PNG);
      const environment = { PATH: pathOf(folder), [variable]: ":0" };
      expect(await clipboardImage(environment, "linux")).toEqual({
        mediaType: "image/png",
        data: PNG.toString("base64"),
      });
    });
  });

  it("is read from AppleScript's own notation", async () => {
    await inTempFolder(async (folder) => {
      program(folder, "osascript", "PNGf");
      writeFileSync(join(folder, "printed"), `\u00abdata PNGf${PNG.toString("hex").toUpperCase()}\u00bb\n`);
      expect(await clipboardImage({ PATH: pathOf(folder) }, "darwin")).toEqual({
        mediaType: "image/png",
        data: PNG.toString("base64"),
      });
    });
  });

  it("is absent if there is no program, no screen, or no image", async () => {
    await inTempFolder(async (folder) => {
      expect(
        await clipboardImage({ PATH: folder, DISPLAY: ":0", WAYLAND_DISPLAY: "w" }, "linux"),
      ).toBeUndefined();
      expect(await clipboardImage({ PATH: folder }, "linux")).toBeUndefined();
      expect(await clipboardImage({ PATH: folder }, "darwin")).toBeUndefined();
      program(folder, "xclip", "image");
      writeFileSync(join(folder, "printed"), "just text");
      expect(await clipboardImage({ PATH: pathOf(folder), DISPLAY: ":0" }, "linux")).toBeUndefined();
      writeFileSync(join(folder, "printed"), Buffer.concat([PNG, Buffer.alloc(17 * 1024 * 1024)]));
      expect(await clipboardImage({ PATH: pathOf(folder), DISPLAY: ":0" }, "linux")).toBeUndefined();
    });
  });
});
