import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { LifeSocket } from "../../ports/lease.ts";
import { errnoOf, isMissing } from "../disk.ts";
import { systemClock } from "../system-clock.ts";
import { askLifeSocket, lifeSocketIn } from "./life-socket.ts";

/** What a lock needs to know of processes. */
export interface Processes {
  readonly pid: number;
  readonly host: string;
  /** Which start of the machine this is; empty where that cannot be told, and start times are absolute. */
  readonly boot: string;
  /** Which pid namespace this process is in: pids of another mean other processes, or none. Undefined where there are none. */
  readonly namespace?: string;
  /** When a living process started, as its system counts; undefined for one that is dead, a zombie included. */
  startOf(pid: number): string | undefined;
  /** By which processes of other pid namespaces can ask whether this one lives; undefined where they cannot. */
  readonly socket?: () => LifeSocket | undefined;
  /** Whether the process of this boot that listens on the socket lives; "unknown" unless that is certain. */
  readonly ask?: (socket: LifeSocket) => "living" | "dead" | "unknown";
}

/** A process that lives but whose start may not be seen. It may be the one in question, so it counts as that. */
export const UNSEEN = "unseen";

/**
 * The processes of this machine. `home` is where locks are, and where processes of other pid namespaces that share it can ask
 * whether this one lives.
 */
export function realProcesses(home?: string): Processes {
  const isLinux = process.platform === "linux";
  const namespace = isLinux ? pidNamespace() : undefined;
  const startOf = isLinux ? startFromProc : startFromPs;
  // Asked for with every lease, and never another.
  let ownStart: string | undefined;
  const boot = isLinux ? readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim() : "";
  return {
    pid: process.pid,
    host: hostname(),
    boot,
    ...(namespace === undefined ? {} : { namespace }),
    ...(namespace === undefined || home === undefined ? {} : asking(home, boot)),
    startOf: (pid) => {
      if (pid !== process.pid) return startOf(pid);
      ownStart ??= startOf(pid);
      return ownStart;
    },
  };
}

function asking(home: string, boot: string): Pick<Processes, "socket" | "ask"> {
  const { random } = systemClock;
  return {
    socket: () => lifeSocketIn({ home, boot, random }),
    ask: (socket) => askLifeSocket(home, socket),
  };
}

function pidNamespace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // A kernel without namespaces, or one that hides them: then all pids are of one kind.
    return undefined;
  }
}

function startFromProc(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch (error) {
    // ESRCH: it ended while we read.
    if (isMissing(error) || errnoOf(error) === "ESRCH") return isSignalled(pid) ? UNSEEN : undefined;
    return UNSEEN;
  }
  // The second field is the program's name, in parentheses, and may hold anything, spaces and parentheses too.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? undefined : rest[18];
}

function startFromPs(pid: number): string | undefined {
  if (!isSignalled(pid)) return undefined;
  try {
    const options = { encoding: "utf8", env: { ...process.env, LC_ALL: "C", TZ: "UTC" } } as const;
    const [state = "", ...start] = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], options)
      .trim()
      .split(/\s+/);
    return state.startsWith("Z") ? undefined : start.join(" ");
  } catch {
    // No `ps`, or it ended meanwhile: in doubt it lives, and the person decides.
    return isSignalled(pid) ? UNSEEN : undefined;
  }
}

/** Whether there is such a process, hidden ones of other users included. */
function isSignalled(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}
