import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { openSession } from "../../../src/open-session.ts";
import { type Given, playground } from "./command-line.ts";

/** A playground with helpers for the files of its workspace. */
export function workshop() {
  const place = playground();
  const at = (path: string) => join(place.workspace, path);
  return {
    ...place,
    put(path: string, content: string | Uint8Array, mode = 0o644) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
      chmodSync(at(path), mode);
    },
    remove: (path: string) => rmSync(at(path), { recursive: true }),
    /** Every path in a folder with its content, its link target, or "/" for a folder. */
    files: (folder = place.workspace) => filesIn(folder),
    async data(line: string | readonly string[], given?: Given) {
      const words = typeof line === "string" ? line.split(" ") : line;
      return JSON.parse((await place.worldline([...words, "--json"], given)).stdout);
    },
    async text(line: string | readonly string[], given?: Given) {
      return (await place.worldline(line, given)).stdout;
    },
  };
}

export type Workshop = ReturnType<typeof workshop>;

/** Runs one turn of an agent session in the workspace; `edit` runs during its tool call. */
export async function agentWorks(
  { home, workspace }: Workshop,
  edit: () => void,
  resume: "new" | "latest" = "latest",
): Promise<string> {
  const session = await openSession({ home, workspace, resume });
  await session.prompt("change something");
  await session.toolStart("c1", "Bash", {});
  edit();
  await session.toolEnd("c1", "ok", "done");
  await session.close();
  return session.id;
}

function filesIn(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true });
  const paths = found.map((each) => join(each.parentPath, each.name)).sort();
  return Object.fromEntries(paths.map((path) => [relative(folder, path), contentOf(path)]));
}

function contentOf(path: string): string {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  if (stat.isSocket()) return "(socket)";
  return stat.isDirectory() ? "/" : readFileSync(path, "utf8");
}
