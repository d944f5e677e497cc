import { describe, expect, it, vi } from "vitest";
import { PNG, PNG_PART, paste, typing } from "./support/typing.ts";

describe("an image in the editor", () => {
  it("comes from a pasted path, and what is typed meanwhile stays in order", async () => {
    const { type, editor, sent } = typing({ disk: { "/tmp/my shot.png": PNG } });
    type("see ", paste("'/tmp/my shot.png'"), "here\r");
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    expect(sent).toEqual([
      { kind: "prompt", parts: [{ type: "text", text: "see [image #1] here" }, PNG_PART] },
    ]);
    expect(editor.text).toBe("");
  });

  it("stays a path if there is no file, or no image in it", async () => {
    const { type, editor } = typing({ disk: { "/tmp/b.png": Uint8Array.from([1, 2]) } });
    type(paste("/tmp/a.png"), " ", paste("/tmp/b.png"), " end");
    await vi.waitFor(() => expect(editor.text).toBe("/tmp/a.png /tmp/b.png end"));
  });

  it("comes from the clipboard, each with its own number", async () => {
    const { editor, type, sent } = typing({ clipboard: { mediaType: "image/png", data: "AAAA" } });
    expect([await editor.pasteImage(), await editor.pasteImage()]).toEqual(["pasted", "pasted"]);
    expect(editor.text).toBe("[image #1] [image #2] ");
    type("\x7f".repeat(11), "\r");
    const image = { type: "image", mediaType: "image/png", data: "AAAA" };
    expect(sent).toEqual([{ kind: "prompt", parts: [{ type: "text", text: "[image #1]" }, image] }]);
    expect(await typing().editor.pasteImage()).toBe("none");
  });

  it("is there again when a prompt is put back", () => {
    const { editor, type, sent } = typing();
    const parts = [{ type: "text", text: "see [image #1]" } as const, PNG_PART];
    editor.put(parts);
    type("\r");
    expect(sent).toEqual([{ kind: "prompt", parts }]);
  });
});
