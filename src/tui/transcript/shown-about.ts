import { toolKind } from "./tool-kind.ts";

/**
 * What a call is about, with the start of a path in the workspace left out: some agents name whole paths only, and what tells
 * files apart stands at their end. A command stays as it was written.
 */
export function shownAbout(
  call: { readonly name: string; readonly about: string },
  workspace: string,
): string {
  const { name, about } = call;
  const start = `${workspace}/`;
  if (workspace === "" || toolKind(name) === "shell" || !about.startsWith(start)) return about;
  return about.slice(start.length) || about;
}
