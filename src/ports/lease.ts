/** A socket that a process listens on as long as it lives: others on the same machine can ask by it, whatever pids mean there. */
export interface LifeSocket {
  /** Of the file, in the folder `alive` of the home that the lock is in. */
  readonly name: string;
  /** Which file it is: the numbers of its file system and of its inode, as its owner saw them. */
  readonly file: string;
}

/** Who writes to a session: enough to tell a living owner from a dead one, and to name them. */
export interface Owner {
  readonly pid: number;
  /** When the process started, as its system counts: a pid alone may have been given to another. */
  readonly started: string;
  /** Which start of the machine it was: after a restart all its owners are dead. */
  readonly boot: string;
  readonly host: string;
  /** Among which pids its pid is one, where a host keeps several apart (containers): from another, it cannot be asked. */
  readonly namespace?: string;
  /** How processes of other namespaces can ask; missing where that is not possible, and in locks of earlier versions. */
  readonly socket?: LifeSocket;
  /** What to call it, such as "worldline rewind". */
  readonly name: string;
  /** When it took the lease: ISO 8601, UTC. */
  readonly since: string;
  /** Of this one acquisition; never used again. */
  readonly token: string;
}

/** "elsewhere": on another machine, or in another pid namespace of this one without a socket that answers: it cannot be asked from here. */
export type Life = "living" | "dead" | "elsewhere";

/** Who has the right to write to a session, as whoever only looks can tell. */
export interface Holder {
  /** Undefined when its lock cannot be read: it has an owner, somewhere. */
  readonly owner?: Owner;
  /** A lease elsewhere that was not renewed in time is "dead": the next one who asks gets it. */
  readonly life: Life;
  /** Of one elsewhere whose lease is renewed: when it runs out, should that stop. ISO 8601, UTC. */
  readonly until?: string;
}

/**
 * Whether to take a lock whose owner cannot be asked whether it lives. "unreadable": one that does not
 * even say whose it is. "yes": also that of an owner on another host, or in another pid
 * namespace of this one that cannot be asked. A living owner's here, never.
 */
export type TakeOver = "yes" | "unreadable" | "no";

export interface LeaseRequest {
  /** What the asking program calls itself, for the message that others get. */
  readonly name: string;
  /** How long to wait for a living owner; 0 refuses at once with SESSION_HELD. */
  readonly waitMs: number;
  /** Called once, when waiting begins. */
  readonly onWait?: (owner: Owner) => void;
  readonly takeOver?: TakeOver;
  /** "reserve": on a full disk, use the room that is set aside for what makes room, such as deleting. */
  readonly room?: "reserve";
}

/**
 * The right to write to a session. A living owner's lease is never taken; a dead one's is, by
 * exactly one of those who try.
 */
export interface Lease {
  readonly owner: Owner;
  /** The dead owner this was taken from, if any. */
  readonly takenFrom?: Owner;
  release(): Promise<void>;
}
