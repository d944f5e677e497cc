import { linesOf } from "../narrow/lines.ts";

/** An edit that turns one text into another, with as many lines around it as make it the only one; undefined for none. */
export function uniqueEdit(
  was: string,
  content: string,
): { readonly do: "edit"; readonly old: string; readonly now: string } | undefined {
  const [before, after] = [linesIn(was), linesIn(content)];
  let top = 0;
  while (top < Math.min(before.length, after.length) && before[top] === after[top]) top += 1;
  let bottom = 0;
  const most = Math.min(before.length, after.length) - top;
  while (bottom < most && before.at(-1 - bottom) === after.at(-1 - bottom)) bottom += 1;
  for (let around = 0; around <= Math.max(top, bottom); around += 1) {
    const [above, below] = [Math.max(0, top - around), Math.max(0, bottom - around)];
    const old = before.slice(above, before.length - below).join("");
    const now = after.slice(above, after.length - below).join("");
    // The edit must also be the only one on the way back.
    if (isOnly(was, old) && isOnly(content, now)) return { do: "edit", old, now };
  }
  return undefined;
}

function linesIn(text: string): readonly string[] {
  return (linesOf(new TextEncoder().encode(text)) ?? []).map((line) =>
    Buffer.from(line, "latin1").toString("utf8"),
  );
}

function isOnly(text: string, piece: string): boolean {
  const at = text.indexOf(piece);
  return piece !== "" && at !== -1 && text.indexOf(piece, at + 1) === -1;
}
