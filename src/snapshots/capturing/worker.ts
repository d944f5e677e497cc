import { parentPort, workerData } from "node:worker_threads";
import { realDisk } from "../../disk/disk.ts";
import { realProcesses } from "../../disk/lock-owner.ts";
import { systemClock } from "../../disk/system-clock.ts";
import { problemOf } from "../../record/error.ts";
import type { Problem } from "../../strings/errors/texts.ts";
import type { Walker } from "../finding/walker.ts";
import { openWalker } from "../finding/walker.ts";
import type { ObjectStore } from "../objects/object.ts";
import { openSegments } from "../segments/stored-segments.ts";
import { realWorkspaceDisk } from "../workspace/real-workspace-disk.ts";
import type { Answer, Numbered, Order, WorkerStart } from "./messages.ts";
import { packFindings, packStored, unpackPaths, unpackStored } from "./messages.ts";
import { storePath } from "./read-files.ts";

/**
 * The worker that a `Thread` controls. The worker has a walker for its share of the workspace, and writes objects to
 * its own segment.
 */
const start = workerData as WorkerStart;
let opened: ObjectStore | undefined;

let walking: Walker | undefined;

/**
 * Returns the walker, and creates it on first use. Loading a large manifest takes a while, and a thread that only
 * stores file contents does not need a walker.
 */
function walker(): Walker {
  walking ??= openWalker({ ...start, disk: realWorkspaceDisk });
  return walking;
}

function objects(): ObjectStore {
  opened ??= openSegments({
    disk: realDisk,
    clock: systemClock,
    processes: { ...realProcesses(start.home), socket: () => start.socket },
    folder: start.segments,
  });
  return opened;
}

function carryOut(order: Order): Answer {
  switch (order.do) {
    case "scan":
      return { did: "found", findings: packFindings(walker().scan(order)) };
    case "walk-new":
      return { did: "found", findings: packFindings(walker().walkNew(order.folders)) };
    case "take-over":
      walking = openWalker({
        ...start,
        disk: realWorkspaceDisk,
        manifest: order.manifest,
        share: order.share,
      });
      return { did: "done" };
    case "store": {
      const { root, limits } = start;
      const context = {
        disk: realWorkspaceDisk,
        objects: objects(),
        maxFileBytes: limits.maxFileBytes,
        root,
      };
      const stored = unpackPaths(order.paths).map((path) => storePath(context, path));
      return { did: "stored", stored: packStored(stored) };
    }
    case "sync":
      opened?.sync();
      return { did: "done" };
    case "learn":
      for (const { path, signature } of unpackStored(order.learned)) walker().learn(path, signature);
      return { did: "done" };
    case "save":
      return { did: "saved", manifest: walker().save(order.header) };
    case "close":
      opened?.close();
      return { did: "done" };
    default:
      return order satisfies never;
  }
}

function answerTo(order: Order): Answer {
  try {
    return carryOut(order);
  } catch (error) {
    return { did: "failed", problem: problemAsData(error) };
  }
}

/**
 * Converts an error to data. An error that is copied to another thread loses its class and everything except its
 * message.
 */
function problemAsData(error: unknown): Problem {
  const problem = problemOf(error);
  if (typeof problem === "string") return problem;
  // Errors inside the parameters are converted to data as well.
  return { ...problem, params: JSON.parse(JSON.stringify(problem.params)) as unknown };
}

parentPort?.on("message", ({ number, content }: Numbered<Order>) => {
  parentPort?.postMessage({ number, content: answerTo(content) } satisfies Numbered<Answer>);
});
