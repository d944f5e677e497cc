/**
 * A socket that a process listens on while it lives: processes in other pid namespaces of the same machine can check
 * it.
 */
export interface LifeSocket {
  /** The name of its file, in the folder `alive` of the home that contains the lock. */
  readonly name: string;
  /** Identifies the file: its file system and inode, as its owner saw them. */
  readonly file: string;
}

/** The owner of a session: enough to tell a living owner from a dead one, and to name it. */
export interface Owner {
  readonly pid: number;
  /** When the process started, by the system's count: a pid may be reused. */
  readonly started: string;
  /** The boot of the machine: after a restart all earlier owners are dead. */
  readonly boot: string;
  readonly host: string;
  /** The pid namespace of its pid, if there are several (containers): from another one it cannot be checked. */
  readonly namespace?: string;
  /** How processes in other namespaces can check it; absent if that is impossible, and in locks of earlier versions. */
  readonly socket?: LifeSocket;
  /** Its display name, such as "worldline rewind". */
  readonly name: string;
  /** When it took the lease: ISO 8601, UTC. */
  readonly since: string;
  /** Identifies this acquisition; never reused. */
  readonly token: string;
}

/**
 * "elsewhere": on another machine, or in another pid namespace of this one without a socket that answers, so this process
 * cannot check whether the owner is alive.
 */
export type Life = "living" | "dead" | "elsewhere";

/** The owner of the right to write to a session, as readers see it. */
export interface Holder {
  /** Undefined if the lock cannot be read: the owner is unknown. */
  readonly owner?: Owner;
  /** A lease elsewhere that was not renewed in time is "dead": the next request takes it. */
  readonly life: Life;
  /** For a renewed lease elsewhere: when it expires if it is not renewed. ISO 8601, UTC. */
  readonly until?: string;
}

/**
 * Whether to take a lock whose owner cannot be checked. "unreadable": only a lock that does not name its owner. "yes":
 * also that of an owner on another machine, or in another pid namespace. Never that of an owner known to be alive.
 */
export type TakeOver = "yes" | "unreadable" | "no";

export interface LeaseRequest {
  /** The name of the requesting program, for messages in other programs. */
  readonly name: string;
  /** How long to wait for a living owner; 0 refuses at once with SESSION_HELD. */
  readonly waitMs: number;
  /** Called once, when waiting begins. */
  readonly onWait?: (owner: Owner) => void;
  readonly takeOver?: TakeOver;
  /** "reserve": on a full disk, use the reserved room. Only for operations that free room, such as deleting. */
  readonly room?: "reserve";
}

/**
 * The right to write to a session. A living owner's lease is never taken; a dead owner's is taken by exactly one of the
 * requests.
 */
export interface Lease {
  readonly owner: Owner;
  /** The dead owner it was taken from, if any. */
  readonly takenFrom?: Owner;
  release(): Promise<void>;
}
