import { resolve } from "node:path";
import type { Clock } from "../../../ports/clock.ts";
import type { Entry, EntryOf } from "../../../record/entry.ts";
import { problemIn, type Remark, remark, WorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";
import { checkArguments, checkOptions, option } from "../../../record/options.ts";
import { newHeader, type SessionContext } from "../../open.ts";
import { defaultSessionSettings } from "../../settings.ts";
import { spillAll } from "../../writer.ts";
import { type KimiFile, type KimiFiles, kimiFilesAt, readKimiState, workspaceOf } from "./kimi-files.ts";
import { type DamagedLine, type KimiLine, readKimiLines } from "./kimi-lines.ts";
import { type ImportedNumber, KimiStory } from "./kimi-story.ts";

export interface KimiImportOptions {
  /** The folder that the session will work in; by default, the folder that kimi-cli recorded. */
  readonly workspace?: string;
}

export interface KimiImport {
  readonly session: SessionId;
  readonly workspace: string;
  /** The session's id in kimi-cli. */
  readonly original: string;
  /** The imported files, oldest first. */
  readonly files: readonly string[];
  readonly counts: KimiCounts;
  /** The number of each checkpoint in kimi-cli and in the new session. */
  readonly numbers: readonly ImportedNumber[];
  readonly damaged: readonly DamagedLine[];
  /** Warnings in English. */
  readonly warnings: readonly string[];
  /** The same warnings with their codes and parameters, so that they can be shown in the user's language. */
  readonly remarks: readonly Remark[];
}

interface KimiCounts {
  readonly entries: number;
  readonly prompts: number;
  readonly replies: number;
  readonly results: number;
  readonly notices: number;
  readonly branchesLeft: number;
}

interface ReadFile {
  readonly file: KimiFile;
  readonly lines: readonly KimiLine[];
  readonly damaged: readonly DamagedLine[];
}

/** Imports a kimi-cli session, including all of its earlier files. Does not change these files. */
export async function importKimi(
  context: SessionContext,
  path: string,
  options: KimiImportOptions = {},
): Promise<KimiImport> {
  checkArguments("importKimi", { deps: [context, option.deps], path: [path, option.path] });
  checkOptions<KimiImportOptions>(options, { call: "importKimi", kinds: { workspace: option.path } });
  const found = await kimiFilesAt(resolve(path));
  const read: ReadFile[] = [];
  for (const file of found.files) read.push({ file, ...(await readKimiLines(file)) });
  requireMessages(found, read);
  const workspace = options.workspace ?? (await workspaceOf(found.folder));
  if (workspace === undefined) throw new WorldlineError("import-no-workspace", { folder: found.folder });
  const told = await buildStory(context, found, { read, workspace });
  const { header, story } = told;
  const limit = context.settings?.blobBytes ?? defaultSessionSettings.blobBytes;
  await context.store.create(header, spillAll(story.entries, limit));
  return {
    session: header.session,
    workspace,
    original: found.name,
    files: found.files.map((file) => file.path),
    counts: countsOf(story),
    numbers: story.numbers,
    damaged: read.flatMap((each) => each.damaged),
    warnings: told.remarks.map(({ why }) => why),
    remarks: told.remarks,
  };
}

async function buildStory(
  context: SessionContext,
  found: KimiFiles,
  { read, workspace }: { readonly read: readonly ReadFile[]; readonly workspace: string },
): Promise<{
  readonly header: EntryOf<"session">;
  readonly story: KimiStory;
  readonly remarks: readonly Remark[];
}> {
  const clock = fileClock(context.clock);
  const systems = read.map(({ lines }) => systemIn(lines)).filter((text) => text !== undefined);
  clock.turnTo(read[0]?.file);
  const header = newHeader(clock, {
    workspace,
    system: systems.at(-1) ?? "",
    imported: { from: "kimi-cli", name: found.name, at: new Date(context.clock.now()).toISOString() },
  });
  const story = new KimiStory(header, clock);
  for (const { file, lines } of read) {
    clock.turnTo(file);
    story.addLines(lines.filter((line) => line.record.is !== "system-prompt"));
  }
  const state = await readKimiState(found.folder);
  if (state.todos.length > 0) story.add({ kind: "todos", items: state.todos });
  if (state.title !== undefined) story.add({ kind: "title", title: state.title });
  const otherSystems = new Set(systems).size > 1 ? [remark("kimi-systems-differ")] : [];
  return {
    header,
    story,
    remarks: [...found.remarks, ...state.remarks, ...otherSystems, ...story.remarks],
  };
}

/**
 * Creates a clock that returns the modification time of the current file, because kimi-cli's messages have no
 * timestamps.
 */
function fileClock(clock: Clock): Clock & { turnTo(file: KimiFile | undefined): void } {
  let now = 0;
  return {
    now: () => now,
    random: (count) => clock.random(count),
    wait: (milliseconds) => clock.wait(milliseconds),
    turnTo: (file) => {
      now = Math.max(now, Math.floor(file?.modified ?? clock.now()));
    },
  };
}

function systemIn(lines: readonly KimiLine[]): string | undefined {
  const record = lines.findLast((line) => line.record.is === "system-prompt")?.record;
  return record?.is === "system-prompt" ? record.text : undefined;
}

function requireMessages(found: KimiFiles, read: readonly ReadFile[]): void {
  const isMessage = ({ record }: KimiLine): boolean =>
    record.is === "user" || record.is === "reply" || record.is === "notice" || record.is === "result";
  if (read.some(({ lines }) => lines.some(isMessage))) return;
  const [damaged] = read.flatMap((each) => each.damaged);
  const path = found.files.at(-1)?.path ?? found.folder;
  if (damaged === undefined) throw new WorldlineError("import-no-message", { path });
  const { file, line } = damaged;
  throw new WorldlineError("import-no-message", { path, damaged: { file, line, why: problemIn(damaged) } });
}

function countsOf(story: KimiStory): KimiCounts {
  const count = (kind: Entry["kind"]): number => story.entries.filter((entry) => entry.kind === kind).length;
  return {
    entries: story.entries.length + 1,
    prompts: count("prompt"),
    replies: count("reply"),
    results: count("tool-end"),
    notices: count("notice"),
    branchesLeft: story.branchesLeft,
  };
}
