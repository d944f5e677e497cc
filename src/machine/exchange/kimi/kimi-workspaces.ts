import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { isJsonObject, type Json } from "../../../record/json.ts";
import { readObject } from "./kimi-state.ts";

/** The folders that kimi-cli has worked in, by the name of the folder that holds their sessions. */
export async function kimiWorkspaces(share: string): Promise<ReadonlyMap<string, string>> {
  const { value } = await readObject(join(share, "kimi.json"));
  const listed = value?.["work_dirs"];
  const paths = Array.isArray(listed) ? (listed as readonly Json[]) : [];
  return new Map(
    paths.flatMap((item) => {
      // A remote folder is none of this machine's.
      const isLocal = isJsonObject(item) && (item["kaos"] === undefined || item["kaos"] === "local");
      const path = isLocal ? item["path"] : undefined;
      return typeof path === "string" ? [[createHash("md5").update(path).digest("hex"), path] as const] : [];
    }),
  );
}

/** Where a session worked that lies in kimi-cli's own folders; undefined when it lies elsewhere. */
export async function workspaceOf(folder: string): Promise<string | undefined> {
  // sessions/<hash>/<session>/context.jsonl, and before that sessions/<hash>/<session>.jsonl
  for (const sessions of [dirname(folder), folder]) {
    if (basename(dirname(sessions)) !== "sessions") continue;
    const workspaces = await kimiWorkspaces(dirname(dirname(sessions)));
    const workspace = workspaces.get(basename(sessions));
    if (workspace !== undefined) return workspace;
  }
  return undefined;
}
