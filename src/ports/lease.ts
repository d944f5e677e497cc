/**
 * A socket that a process listens on while the process is alive. Processes in other pid namespaces on the same machine
 * use the socket to check whether that process is alive.
 */
export interface LifeSocket {
  /** The name of the socket's file in the `alive` folder of the home that contains the lock. */
  readonly name: string;
  /** Identifies the socket's file by the file system and inode that the socket's owner saw. */
  readonly file: string;
}

/**
 * The owner of a session. Contains enough information to determine whether the owner is alive and to show the user who
 * the owner is.
 */
export interface Owner {
  readonly pid: number;
  /**
   * When the process started, as reported by the operating system. Distinguishes the process from a later one with the
   * same pid.
   */
  readonly started: string;
  /** Identifies the machine's current boot. After a restart, all earlier owners are dead. */
  readonly boot: string;
  readonly host: string;
  /**
   * The pid namespace of the process if the machine has several, for example, because of containers. In another
   * namespace, the pid has no meaning.
   */
  readonly namespace?: string;
  /**
   * The socket that processes in other namespaces can use to check whether the owner is alive. Absent if there is no
   * such socket, and in locks written by earlier versions.
   */
  readonly socket?: LifeSocket;
  /** The owner's display name, such as "worldline rewind". */
  readonly name: string;
  /** When the owner took the lease (ISO 8601, UTC). */
  readonly since: string;
  /** Identifies this acquisition of the lease. Tokens are never reused. */
  readonly token: string;
}

/**
 * Whether an owner is alive. "elsewhere": this process cannot check whether the owner is alive, because the owner is on
 * another machine, or is in another pid namespace and has no socket that answers.
 */
export type Life = "living" | "dead" | "elsewhere";

/** The program that has the right to write to a session, from a reader's point of view. */
export interface Holder {
  /** Undefined if the owner is unknown because the lock cannot be read. */
  readonly owner?: Owner;
  /**
   * Whether the owner is alive. An owner elsewhere that did not renew its lease in time counts as "dead", so the next
   * request can take the lease.
   */
  readonly life: Life;
  /** For an owner elsewhere: when the lease expires if it is not renewed (ISO 8601, UTC). */
  readonly until?: string;
}

/**
 * Whether to take a lock whose owner cannot be checked. "unreadable": only if the owner cannot be read from the lock.
 * "yes": also if the owner is on another machine or in another pid namespace. A lock is never taken over from an owner
 * that is known to be alive.
 */
export type TakeOver = "yes" | "unreadable" | "no";

export interface LeaseRequest {
  /** The name of the requesting program, shown in other programs' messages. */
  readonly name: string;
  /** How long to wait for a live owner, in milliseconds. If 0, rejects immediately with SESSION_HELD. */
  readonly waitMs: number;
  /** Called once, when the wait begins. */
  readonly onWait?: (owner: Owner) => void;
  readonly takeOver?: TakeOver;
  /**
   * "reserve": the operation can use the reserved space on a full disk. Intended only for operations that free space,
   * such as deleting.
   */
  readonly room?: "reserve";
}

/**
 * The right to write to a session. A live owner never loses its lease. If several programs request a dead owner's
 * lease at the same time, exactly one of them gets it.
 */
export interface Lease {
  readonly owner: Owner;
  /** The dead owner that the lease was taken from, if there was one. */
  readonly takenFrom?: Owner;
  release(): Promise<void>;
}
