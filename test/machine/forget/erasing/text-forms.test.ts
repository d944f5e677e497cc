import { describe, expect, it } from "vitest";
import { TextForms } from "../../../../src/machine/forget/erasing/text-forms.ts";

describe("a text that is taken out", () => {
  it("is looked for again when what is left puts it together anew", () => {
    const { erased } = new TextForms("foo[").eraseFrom("foofoo[ bar");
    expect(erased).not.toContain("foo[");
    expect(erased.endsWith(" bar")).toBe(true);
  });

  it("is counted as often as it occurs", () => {
    expect(new TextForms("key!").eraseFrom("key!key! key")).toEqual({
      erased: "[forgotten][forgotten] key",
      times: 2,
    });
  });

  it("is known by its beginning where a text was cut", () => {
    const forms = new TextForms("sk-live-1");
    expect(forms.beginningAtEnd("my sk-liv")).toBe(6);
    expect(forms.beginningAtEnd("my sk-")).toBe(0);
  });
});
