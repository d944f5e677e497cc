import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { WorkspaceFiles } from "../../../src/ports/workspace-files.ts";
import type { FileState } from "../../../src/record/files.ts";
import type { SnapshotId } from "../../../src/record/ids.ts";
import type { SnapshotUpkeep } from "../../../src/snapshots/snapshot-upkeep.ts";
import { KEEP_REFERENCED, restoreOf, SESSION } from "../../laws/files/files-world.ts";
import { asSeenBy, differences, type Tree, told, walk } from "../../laws/files/independent-walk.ts";

/** One of three states of the workspace; between them, every kind of path changes in every way. */
export function makeState(workspace: string, state: "first" | "second" | "third"): void {
  const at = (path: string): string => join(workspace, path);
  rmSync(workspace, { recursive: true, force: true });
  mkdirSync(at("both"), { recursive: true });
  writeFileSync(at("both/same.txt"), "the same in all of them");
  writeFileSync(at("both/edited.txt"), `one\ntwo\nthree\nfour in ${state}\n`);
  symlinkSync(state, at("both/link"));
  mkdirSync(at(`only/${state}/deep`), { recursive: true });
  writeFileSync(at(`only/${state}/deep/file`), `only ${state}`, { mode: state === "first" ? 0o600 : 0o755 });
  if (state === "first") writeFileSync(at("kind"), "a file");
  else mkdirSync(at("kind"));
}

/** The snapshots and the label that were acknowledged. */
export interface Ledger {
  readonly kept: Map<SnapshotId, Tree>;
  label: string;
  /** How many of the kept snapshots have no reference. */
  readonly unreferenced?: number;
}

export interface ScriptStep {
  readonly name: string;
  run(): Promise<void>;
}

export interface ScriptContext {
  readonly workspace: string;
  readonly files: WorkspaceFiles;
  readonly upkeep: SnapshotUpkeep;
}

/** Writes everything that a store can hold, once: captures, references, labels, merges, restores, gc. */
export function filesScript({ workspace, files, upkeep }: ScriptContext): {
  readonly ledger: Ledger;
  readonly steps: readonly ScriptStep[];
} {
  const ledger: Ledger = { kept: new Map(), label: "" };
  const snapshots = new Map<string, SnapshotId>();
  const idOf = (name: string): SnapshotId => snapshots.get(name) as SnapshotId;
  const capture = (name: "first" | "second" | "third", checkpoint: number | undefined): ScriptStep => ({
    name: `capture ${name}`,
    run: async () => {
      const keptFor =
        checkpoint === undefined ? undefined : { session: SESSION, checkpoint, on: "prompt" as const };
      const { snapshot, state } = await files.capture({
        look: "everything",
        ...(keptFor === undefined ? {} : { keptFor }),
      });
      expect(state).toBe("complete");
      snapshots.set(name, snapshot);
      if (checkpoint !== undefined) ledger.kept.set(snapshot, walk(workspace));
    },
  });
  const make = (name: "first" | "second" | "third"): ScriptStep => ({
    name: `make ${name}`,
    run: async () => makeState(workspace, name),
  });
  const steps: ScriptStep[] = [
    make("first"),
    capture("first", 1),
    make("third"),
    capture("third", undefined),
    make("second"),
    capture("second", 2),
    {
      name: "label",
      run: async () => {
        await files.label(SESSION, 1, "a label");
        ledger.label = "a label";
      },
    },
    {
      name: "merge",
      run: async () => {
        const at = async (name: string): Promise<FileState> =>
          (await files.stateAt(idOf(name), "both/edited.txt")) as FileState;
        const edit = { before: await at("first"), after: await at("second") };
        const merged = await files.merge(await at("first"), [edit]);
        expect(merged).toEqual(edit.after);
      },
    },
    {
      name: "keep",
      run: async () => files.keep({ session: SESSION, journey: "left" }, idOf("second")),
    },
    {
      name: "restore",
      run: async () => {
        for (const each of await files.unfinished()) await files.settle(each, "forward");
        const { snapshot } = await files.capture({ look: "everything" });
        const changes = await files.compare(snapshot, idOf("first"));
        const outcomes = await files.restore(restoreOf(changes, snapshot));
        expect(outcomes.filter(({ outcome }) => outcome !== "restored")).toEqual([]);
        expect(differences(walk(workspace), ledger.kept.get(idOf("first")) ?? new Map())).toEqual([]);
      },
    },
    {
      name: "gc",
      run: async () => {
        await upkeep.collect({ ...KEEP_REFERENCED, maxBytes: 1 }, async () => "yes");
      },
    },
    make("third"),
    capture("third", 3),
    { name: "close", run: async () => files.close() },
  ];
  return { ledger, steps };
}

/** Checks that every acknowledged snapshot is there and whole, and that the store is sound. */
export async function checkLedger(
  files: WorkspaceFiles,
  upkeep: SnapshotUpkeep,
  ledger: Ledger,
): Promise<void> {
  for (const [snapshot, tree] of ledger.kept) {
    expect(await files.has(snapshot)).toBe(true);
    const list = await files.list(snapshot);
    const seen = told(list);
    expect(differences(asSeenBy(seen, tree), seen)).toEqual([]);
    for (const { state } of list) {
      if (state.kind === "file") expect((await files.content(state.hash)).length).toBe(state.size);
    }
  }
  // A reference line that was cut off was never acknowledged, so `refDamage` is not checked.
  const { damage, problems, snapshots } = await upkeep.verify();
  expect({ damage, problems }).toEqual({ damage: [], problems: [] });
  expect(snapshots).toBeGreaterThanOrEqual(ledger.kept.size - (ledger.unreferenced ?? 0));
}
