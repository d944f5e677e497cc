import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { FEW_FILES, openFilesLimit } from "../../disk/open-files-limit.ts";
import type { LifeSocket } from "../../ports/lease.ts";
import type { PathBytes } from "../../record/files.ts";
import type { WorkspaceContext } from "../context.ts";
import type { CoverageLimits } from "../finding/coverage.ts";
import { type Findings, type Found, joinFindings } from "../finding/findings.ts";
import { joinManifests } from "../finding/manifest.ts";
import { openWalker, type ScanRequest, type Walker } from "../finding/walker.ts";
import type { ObjectStore } from "../objects/object.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";
import {
  type LearnedPath,
  type OpenScanner,
  type StoredPath,
  type StoreRequest,
  throwIfCancelled,
  type WorkspaceScanner,
} from "./capture.ts";
import { packLearned, packPaths, unpackFindings, unpackStored } from "./messages.ts";
import { type ReadContext, storePath } from "./read-files.ts";
import { Thread } from "./thread.ts";

interface ScannerOptions {
  readonly disk: WorkspaceDisk;
  readonly objects: ObjectStore;
  readonly root: PathBytes;
  readonly home: string;
  readonly limits: CoverageLimits;
  readonly outsideRules: string;
  readonly manifest: Buffer | undefined;
  /** The program that the threads run. If undefined, this thread does all the work. */
  readonly entry: URL | undefined;
  readonly segments: string;
  readonly socket?: (() => LifeSocket | undefined) | undefined;
}

/** Manifest size above which starting threads pays off. A manifest of this size covers several thousand files. */
const LARGE_MANIFEST = 256 * 1024;
/**
 * If at least this many folders at the top of an unknown workspace are waiting to be walked, starting threads is
 * worthwhile.
 */
const WIDE_TOP = 64;
const MANY_FILES = 1_000;
const MIN_THREADS = 2;
const MAX_THREADS = 4;

/**
 * Searches for changes and stores file contents. If there is little work, this thread does all of it. Otherwise,
 * several threads share the work, and each thread is responsible for some of the workspace's folders.
 */
export class ThreadedScanner implements WorkspaceScanner {
  readonly #deps: ScannerOptions;
  /** This thread's walker. Undefined once the manifest has been divided among other threads. */
  #own: Walker | undefined;
  /** Threads that walk the workspace. These threads can also store contents. */
  #walking: Thread[] = [];
  #storing: Thread[] = [];
  #begun: "yes" | "no";
  /**
   * Messages for the walking threads. These messages are not sent until the next scan, because waking the threads for
   * each message would cost more than a checkpoint.
   */
  #unsent: LearnedPath[] = [];

  constructor(parts: ScannerOptions) {
    this.#deps = parts;
    const { manifest, entry } = parts;
    this.#begun = manifest === undefined ? "no" : "yes";
    if (entry !== undefined && manifest !== undefined && manifest.length > LARGE_MANIFEST) {
      this.#walking = this.#start(entry, manifest);
    } else this.#own = openWalker({ ...parts, share: { part: 0, of: 1 } });
  }

  async scan(folders: "all" | readonly PathBytes[], inodes: ReadonlySet<number>): Promise<Findings> {
    if (this.#begun === "no") return this.#first();
    this.#sendLearned();
    // The other threads start scanning before this thread does, so that all threads scan at the same time.
    const others = this.#askAll(this.#walking, { do: "scan", folders, inodes });
    const own = this.#scanOwn({ folders, inodes });
    const findings = joinFindings((await allOf([own, others])).flat());
    return findings.unsettled.length === 0 ? findings : this.#settle(findings);
  }

  async store({ files, onStored, signal }: StoreRequest): Promise<void> {
    const threads = this.#threadsFor(files);
    const batches = batchesOf(files);
    if (threads.length === 0) {
      for (const batch of batches) {
        throwIfCancelled(signal);
        onStored(batch.map(({ path }) => storePath(this.#context(), path)));
        await setImmediate();
      }
      return;
    }
    await allOf(
      threads.map(async (thread) => {
        for (const batch of batches) {
          throwIfCancelled(signal);
          onStored(await this.#storeIn(thread, batch));
        }
        await thread.ask({ do: "sync" });
      }),
    );
  }

  learn(learned: readonly LearnedPath[]): void {
    for (const { path, signature } of learned) this.#own?.learn(path, signature);
    if (this.#walking.length > 0) for (const each of learned) this.#unsent.push(each);
  }

  async save(header: string): Promise<Buffer | undefined> {
    const manifest = await this.#join(header);
    if (manifest !== undefined) await this.#shareOut(manifest);
    return manifest;
  }

  /** Divides the folders that this thread walked before the other threads started. Each thread gets an equal share. */
  async #shareOut(manifest: Buffer): Promise<void> {
    const threads = [...this.#walking, ...this.#storing];
    if (this.#own === undefined || threads.length < MIN_THREADS || manifest.length < LARGE_MANIFEST) return;
    const shared = inSharedMemory(manifest);
    await allOf(
      threads.map(async (thread, part) =>
        thread.ask({ do: "take-over", manifest: shared, share: { part, of: threads.length } }),
      ),
    );
    this.#own = undefined;
    this.#walking = threads;
    this.#storing = [];
  }

  async #join(header: string): Promise<Buffer | undefined> {
    this.#sendLearned();
    const parts: Buffer[] = this.#own === undefined ? [] : [this.#own.save(header)];
    const answers = await allOf(this.#walking.map(async (thread) => thread.ask({ do: "save", header })));
    for (const answer of answers) {
      if (answer.did === "saved") parts.push(Buffer.from(answer.manifest));
    }
    return parts.length === 1 ? parts[0] : joinManifests(parts, header);
  }

  async close(): Promise<void> {
    const threads = [...this.#walking, ...this.#storing];
    this.#walking = [];
    this.#storing = [];
    await allOf(threads.map(async (thread) => thread.close()));
  }

  /**
   * Performs the first scan. This thread walks the top of the workspace, and the folders below are divided among all
   * threads.
   */
  async #first(): Promise<Findings> {
    this.#begun = "yes";
    const { entry } = this.#deps;
    const own = this.#own;
    if (own === undefined || entry === undefined) return this.#scanAlone();
    const { findings, waiting } = own.walkTop(WIDE_TOP);
    if (waiting.length === 0) return findings;
    // One fewer thread is started, because this thread walks as well. Starting a thread costs as much as walking
    // thousands of files.
    this.#walking = this.#start(entry, undefined, threadCount() - 1);
    const shares = sharesOf(waiting);
    const parts: Findings[] = [findings];
    const inThreads = this.#walking.map(async (thread) => {
      for (const folders of shares) parts.push(foundBy(await thread.ask({ do: "walk-new", folders })));
    });
    // Starting the threads takes a while. Until they are ready, this thread walks the folders alone.
    const here = async (): Promise<void> => {
      for (const folders of shares) {
        parts.push(own.walkNew(folders));
        await setImmediate();
      }
    };
    await allOf([...inThreads, here()]);
    // No two threads found the same path, so there is nothing to reconcile.
    return {
      found: parts.flatMap(({ found }) => found),
      gone: parts.flatMap(({ gone }) => gone),
      unsettled: parts.flatMap(({ unsettled }) => unsettled),
    };
  }

  async #scanOwn(request: ScanRequest): Promise<Findings[]> {
    return this.#own === undefined ? [] : [this.#own.scan(request)];
  }

  #scanAlone(): Findings {
    this.#own ??= openWalker({ ...this.#deps, share: { part: 0, of: 1 } });
    return this.#own.scan({ folders: "all" });
  }

  /**
   * Handles changed ignore rules in a folder whose subfolders belong to several walkers. A single walker loads all
   * folders and decides what is left out.
   */
  async #settle(findings: Findings): Promise<Findings> {
    const joined = await this.#join("");
    const threads = this.#walking;
    this.#storing.push(...threads);
    this.#walking = [];
    this.#own = openWalker({ ...this.#deps, manifest: joined, share: { part: 0, of: 1 } });
    const settled = this.#own.scan({ folders: [], decideAnew: findings.unsettled });
    return joinFindings([{ ...findings, unsettled: [] }, settled]);
  }

  async #storeIn(thread: Thread, batch: readonly Found[]): Promise<StoredPath[]> {
    const answer = await thread.ask({ do: "store", paths: packPaths(batch.map(({ path }) => path)) });
    return answer.did === "stored" ? unpackStored(answer.stored) : [];
  }

  async #askAll(threads: readonly Thread[], order: Parameters<Thread["ask"]>[0]): Promise<Findings[]> {
    return (await allOf(threads.map(async (thread) => thread.ask(order)))).map(foundBy);
  }

  /**
   * Sends the learned paths without waiting for an answer. A thread executes its orders one after another, and the next
   * scan is one of these orders.
   */
  #sendLearned(): void {
    if (this.#unsent.length === 0) return;
    const learned = packLearned(this.#unsent);
    this.#unsent = [];
    for (const thread of this.#walking) thread.send({ do: "learn", learned });
  }

  #threadsFor(files: readonly Found[]): readonly Thread[] {
    const { entry } = this.#deps;
    const missing = threadCount() - this.#walking.length - this.#storing.length;
    if (entry !== undefined && files.length >= MANY_FILES && missing > 0) {
      this.#storing.push(...this.#start(entry, undefined, missing));
    }
    return [...this.#walking, ...this.#storing];
  }

  #start(entry: URL, manifest: Buffer | undefined, of: number = threadCount()): Thread[] {
    const { root, segments, home, limits, outsideRules } = this.#deps;
    const socket = this.#deps.socket?.();
    const shared = manifest === undefined ? undefined : inSharedMemory(manifest);
    return Array.from(
      { length: of },
      (_, part) =>
        new Thread(entry, {
          root,
          segments,
          home,
          socket,
          limits,
          outsideRules,
          manifest: shared,
          share: { part, of },
        }),
    );
  }

  #context(): ReadContext {
    const { disk, objects, root, limits } = this.#deps;
    return { disk, objects, root, maxFileBytes: limits.maxFileBytes };
  }
}

/** Waits for all promises even if one fails, so that nothing is still running when the caller continues. */
async function allOf<Result>(promises: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function threadCount(): number {
  return Math.max(MIN_THREADS, Math.min(MAX_THREADS, availableParallelism()));
}

function foundBy(answer: Awaited<ReturnType<Thread["ask"]>>): Findings {
  return answer.did === "found" ? unpackFindings(answer.findings) : { found: [], gone: [], unsettled: [] };
}

/** Copies the bytes to shared memory, so that each thread can read them without its own copy. */
function inSharedMemory(bytes: Buffer): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/**
 * The program that the threads run. In the bundle and in the library, it is next to this file. It does not exist if the
 * project was not built.
 */
const ENTRY = new URL("./worker.js", import.meta.url);

export const openScanner: OpenScanner = (
  context: WorkspaceContext,
  { outsideRules, manifest },
): WorkspaceScanner => {
  const { store, disk, root, home, limits, threads } = context;
  return new ThreadedScanner({
    disk,
    root,
    home,
    limits,
    outsideRules,
    manifest,
    entry: threads === "auto" && openFilesLimit() >= FEW_FILES && existsSync(ENTRY) ? ENTRY : undefined,
    objects: store.objects,
    segments: store.places.segments,
    socket: store.processes.socket,
  });
};

const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_FILES = 128;

/**
 * Divides files into portions that take about the same time. Each free thread takes the next portion, so that all
 * threads finish at about the same time.
 */
function* batchesOf(files: readonly Found[]): Generator<readonly Found[]> {
  let batch: Found[] = [];
  let bytes = 0;
  for (const file of files) {
    batch.push(file);
    bytes += file.size;
    if (bytes < BATCH_BYTES && batch.length < BATCH_FILES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

const SHARES = 24;

/** Divides folders into portions for free threads. Keeps neighboring folders together. */
function* sharesOf(folders: readonly PathBytes[]): Generator<readonly PathBytes[]> {
  const length = Math.ceil(folders.length / SHARES);
  for (let at = 0; at < folders.length; at += length) yield folders.slice(at, at + length);
}
