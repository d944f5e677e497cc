import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { importKimi } from "../../../../src/machine/exchange/kimi/import-kimi.ts";
import { viewSession } from "../../../../src/machine/open.ts";
import type { SessionView } from "../../../../src/machine/view.ts";
import { textOf } from "../../../../src/record/parts.ts";
import { inTempFolder } from "../../../../src/testing/temp-folder.ts";
import { branchOf } from "../../../../src/timeline/outline.ts";
import type { Row } from "../../../../src/timeline/row.ts";
import { memoryPlace } from "../support.ts";

type Line = { role: string; content?: string; id?: number };
type Move =
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "revert" | "clear"; readonly to: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("say" as const), text: fc.constantFrom("a", "b", "c") }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("revert", "clear"), to: fc.nat(9) }) },
);

/** kimi-cli, as far as its files are concerned: each revert moves the file aside and starts a new one. */
function kimi(story: readonly Move[]): Line[][] {
  const files: Line[][] = [];
  let live: Line[] = [];
  const checkpoint = (): void => {
    live.push({ role: "_checkpoint", id: live.filter((line) => line.role === "_checkpoint").length });
  };
  for (const one of story) {
    if (one.do === "say") {
      checkpoint();
      live.push({ role: "user", content: one.text });
      checkpoint();
      live.push({ role: "assistant", content: `answer to ${one.text}` });
      continue;
    }
    files.push(live);
    const places = live.flatMap((line, at) => (line.role === "_checkpoint" ? [at] : []));
    live = one.do === "clear" || places.length === 0 ? [] : live.slice(0, places[one.to % places.length]);
    if (one.do === "revert") {
      checkpoint();
      live.push({ role: "user", content: `<system>note ${one.to}</system>` });
    }
  }
  return [...files, live];
}

function writeFiles(root: string, files: readonly (readonly Line[])[]): void {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  for (const [at, lines] of files.entries()) {
    const path = join(root, at === files.length - 1 ? "context.jsonl" : `context_${at + 1}.jsonl`);
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    utimesSync(path, 1_000 + at, 1_000 + at);
  }
}

/**
 * Counts the messages that an import should produce if each file continues from the last checkpoint that it
 * shares with the previous file.
 */
function messagesTold(files: readonly (readonly Line[])[]): number {
  return files.reduce((sum, lines, at) => {
    const before = files[at - 1] ?? [];
    const differing = before.findIndex(
      (line, index) => JSON.stringify(line) !== JSON.stringify(lines[index]),
    );
    const shared = differing === -1 ? before.length : differing;
    const places = lines.slice(0, shared).findLastIndex((line) => line.role === "_checkpoint") + 1;
    return sum + textsIn(lines.slice(shared === before.length ? shared : places)).length;
  }, 0);
}

function textsIn(lines: readonly Line[]): string[] {
  return lines.flatMap((line) => (line.content === undefined ? [] : [line.content]));
}

async function said(view: SessionView, rows: readonly Row[]): Promise<string[]> {
  const entries = await view.entries(rows.map((row) => row.seq));
  return entries.flatMap((entry) => {
    if (entry.kind === "notice") return [entry.text.replace("kimi-cli told the agent:\n> ", "")];
    return entry.kind === "prompt" || entry.kind === "reply" ? [textOf(entry.parts)] : [];
  });
}

describe("the files of a kimi-cli session", () => {
  it("law: whatever was reverted, the branch says what the live file says, and everything else is still there", async () => {
    const law = async (root: string, story: readonly Move[]): Promise<void> => {
      const files = kimi([{ do: "say", text: "begin" }, ...story]);
      writeFiles(root, files);
      const { deps } = memoryPlace();
      const { session } = await importKimi(deps, root, { workspace: "/work" });
      const view = await viewSession(deps.store, session);
      const rows = view.outline.rows();
      expect(await said(view, branchOf(view.outline))).toEqual(textsIn(files.at(-1) ?? []));
      const told = await said(view, rows);
      expect(told).toHaveLength(messagesTold(files));
      const everything = new Set(told);
      expect(files.flatMap(textsIn).filter((text) => !everything.has(text))).toEqual([]);
      const numbers = rows.map((row) => row.number).filter((number) => number > 0);
      expect(new Set(numbers).size).toBe(numbers.length);
    };
    await inTempFolder(async (root) => {
      const stories = fc.array(move, { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(stories, async (story) => law(root, story)),
        { numRuns: 150 },
      );
    });
  });
});
