import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { LogStore } from "../../../../src/ports/log-store.ts";
import { type BlobHash, type SessionId, toSeq } from "../../../../src/record/ids.ts";
import { ManualClock, Story } from "../../../../src/testing/testing.ts";
import { type Child, startChild } from "../../../crash/children/child.ts";

export interface KillReport {
  readonly kills: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly damage: number;
  /** How many of the children got the lease of the one that was killed before, at once. */
  readonly heirs: number;
}

export interface KillOptions {
  /** The child, bundled; it is given `args` and the session's id. */
  readonly script: string;
  readonly args: readonly string[];
  readonly kills: number;
  readonly seed: number;
  /** A new store on the same content. */
  open(): LogStore;
}

/** Node 20 cannot run TypeScript: a child is bundled into the test's own folder, with a way to our packages. */
export async function bundleWriter(source: URL, folder: string): Promise<string> {
  const outfile = join(folder, "writer.mjs");
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: ["libsql", "pg"],
    logLevel: "error",
  });
  symlinkSync(
    fileURLToPath(new URL("../../../../node_modules", import.meta.url)),
    join(folder, "node_modules"),
  );
  return outfile;
}

/** Kills writers one after the other at moments that the seed gives; after each, everything acknowledged is looked for. */
export async function killWriters(options: KillOptions): Promise<KillReport> {
  const { script, args, kills, seed, open } = options;
  const story = new Story();
  const dice = new ManualClock({ seed });
  await using(open, async (store) => store.create(story.begin()));
  const entries = new Map<number, string>();
  const blobs = new Set<BlobHash>();
  let [lost, damage, heirs, before] = [0, 0, 0, 0];
  for (let kill = 0; kill < kills; kill += 1) {
    const child = startChild(script, [...args, story.session]);
    await child.said("entry", 1 + dice.below(40));
    await setTimeout(dice.below(4));
    await child.kill();
    if (child.lines.includes(`heir of ${before}`)) heirs += 1;
    before = child.pid;
    take(child, entries, blobs);
    const found = await using(open, async (store) => lookAt(store, story.session));
    lost += [...entries].filter(([seq, id]) => found.ids.get(seq) !== id).length;
    lost += [...blobs].filter((hash) => !found.blobs.has(hash)).length;
    damage += found.damage;
  }
  return { kills, acknowledged: entries.size + blobs.size, lost, damage, heirs };
}

async function lookAt(store: LogStore, session: SessionId) {
  const { outline } = await store.open(session);
  const entries = await store.read(session, toSeq(1), outline.nextSeq);
  return {
    ids: new Map<number, string>(entries.map((entry) => [entry.seq, entry.id])),
    blobs: new Set(await store.listBlobs(session)),
    damage: (await store.verify(session)).length,
  };
}

function take(child: Child, entries: Map<number, string>, blobs: Set<BlobHash>): void {
  for (const line of child.lines) {
    const [what, first = "", second = ""] = line.split(" ");
    if (what === "entry") entries.set(Number(first), second);
    if (what === "blob") blobs.add(first as BlobHash);
  }
}

async function using<Result>(
  open: () => LogStore,
  work: (store: LogStore) => Promise<Result>,
): Promise<Result> {
  const store = open();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
