import type { TextForms } from "./text-forms.ts";

/** A string of JSON that may be bytes: those of programs stand in the text of their values as base64. */
const BASE64 = /"([A-Za-z0-9+/]{4,}={0,2})"/gu;

/**
 * Takes the text out of bytes that a program has kept. Zeros stand in its place, as many: numbers in the same bytes stay
 * where they are, and the value can still be read.
 */
export function eraseFromBytes(
  kept: string,
  forms: TextForms,
): { readonly erased: string; readonly times: number } {
  let times = 0;
  const erased = kept.replace(BASE64, (whole, base64: string) => {
    const bytes = Buffer.from(base64, "base64");
    const found = forms.overwriteIn(bytes);
    times += found;
    return found === 0 ? whole : `"${bytes.toString("base64")}"`;
  });
  return { erased, times };
}
