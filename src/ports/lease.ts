/**
 * A socket that a process listens on while it is alive, so that processes in other pid namespaces on the same machine
 * can check whether it is alive.
 */
export interface LifeSocket {
  /** The socket's file name, in the folder `alive` of the home that contains the lock. */
  readonly name: string;
  /** Identifies the socket's file by its file system and inode, as the socket's owner saw them. */
  readonly file: string;
}

/**
 * The owner of a session. Contains enough information to tell whether the owner is alive, and to name the owner to the
 * user.
 */
export interface Owner {
  readonly pid: number;
  /**
   * When the process started, as the operating system reports it. Distinguishes the process from a later one with the
   * same pid.
   */
  readonly started: string;
  /** Identifies the boot of the machine. After a restart, all earlier owners are dead. */
  readonly boot: string;
  readonly host: string;
  /**
   * The pid namespace of the process, if the machine has several, as with containers. The pid means nothing in another
   * namespace.
   */
  readonly namespace?: string;
  /**
   * The socket that processes in other namespaces can use to check the owner; absent if there is none, and in locks
   * written by earlier versions.
   */
  readonly socket?: LifeSocket;
  /** The owner's display name, such as "worldline rewind". */
  readonly name: string;
  /** When the owner took the lease: ISO 8601, UTC. */
  readonly since: string;
  /** Identifies this acquisition of the lease; never reused. */
  readonly token: string;
}

/**
 * Whether an owner is alive. "elsewhere": this process cannot check that, because the owner is on another machine, or
 * in another pid namespace without a socket that answers.
 */
export type Life = "living" | "dead" | "elsewhere";

/** The program that has the right to write to a session, as readers see it. */
export interface Holder {
  /** Undefined if the lock cannot be read, so that the owner is unknown. */
  readonly owner?: Owner;
  /**
   * Whether the owner is alive. An owner elsewhere that did not renew its lease in time is "dead", and the next request
   * takes the lease.
   */
  readonly life: Life;
  /** When the lease expires unless it is renewed, for an owner elsewhere: ISO 8601, UTC. */
  readonly until?: string;
}

/**
 * Whether to take a lock whose owner cannot be checked. "unreadable": only if the lock does not name its owner. "yes":
 * additionally if the owner is on another machine or in another pid namespace. The lock of an owner that is known to be
 * alive is never taken.
 */
export type TakeOver = "yes" | "unreadable" | "no";

export interface LeaseRequest {
  /** The name of the requesting program, which other programs show in their messages. */
  readonly name: string;
  /** How long to wait for a living owner. 0 rejects immediately with SESSION_HELD. */
  readonly waitMs: number;
  /** Called once, when the wait begins. */
  readonly onWait?: (owner: Owner) => void;
  readonly takeOver?: TakeOver;
  /** "reserve": may use the reserved room on a full disk. Only for operations that free room, such as deleting. */
  readonly room?: "reserve";
}

/**
 * The right to write to a session. A living owner never loses its lease. If there are several simultaneous requests for
 * a dead owner's lease, exactly one of them takes it.
 */
export interface Lease {
  readonly owner: Owner;
  /** The dead owner that the lease was taken from, if there was one. */
  readonly takenFrom?: Owner;
  release(): Promise<void>;
}
