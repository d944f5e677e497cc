import { z } from "zod";
import { pathSubject } from "../files/places.ts";
import { descriptions } from "../generated/descriptions.ts";
import { lineCount, oneLine, plural } from "../text.ts";
import { defineTool, interrupted, systemText, type Tool } from "../tool.ts";
import { refused, write } from "./put-file.ts";
import { knownTarget, type Target, textIn, type WriteOptions } from "./target.ts";
import { unifiedDiff } from "./unified-diff.ts";

const input = z.strictObject({
  file_path: systemText("The file, absolute or relative to the workspace."),
  content: z.string().describe("Everything that the file will hold."),
});

export function writeTool(ground: WriteOptions): Tool {
  const { workspace } = ground;
  return defineTool<z.infer<typeof input>>({
    name: "Write",
    description: descriptions.write,
    input,
    reach: "files",
    subjects: async ({ file_path: path }) => pathSubject(workspace, path, "write"),
    about: ({ file_path: path }) => oneLine(path),
    preview: async ({ file_path: path, content }) => {
      const target = await knownTarget(ground, path);
      return "refused" in target ? target : unifiedDiff(target, content);
    },
    run: async ({ file_path: path, content }, { signal, places }) => {
      const target = await knownTarget(ground, path, places);
      if ("refused" in target) return refused(target.refused);
      if (signal.aborted) return { ...interrupted("Interrupted; nothing was written."), touched: [] };
      return write(target, content, outcomeText(target, content));
    },
  });
}

function outcomeText({ shown, before }: Target, content: string): string {
  const lines = plural(lineCount(content), "line");
  if (before === undefined) return `Created ${shown} (${lines}).`;
  const old = textIn(before.bytes);
  if (old === undefined) return `Overwrote ${shown} (${lines}; before, it was no text).`;
  const endings =
    old.includes("\r\n") && !content.includes("\r\n")
      ? " Its lines ended with CRLF before, and with LF now."
      : "";
  return `Overwrote ${shown} (${lines}, before ${lineCount(old).toLocaleString("en")}).${endings}`;
}
