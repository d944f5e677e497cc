import type { Disk, DiskStat, OpenHow } from "../../disk/disk.ts";
import { SimulatedDisk, type Survival, systemError } from "./simulated-disk.ts";

/**
 * A disk call that changes something or makes a change durable. These calls are counted, and tests can make them fail.
 */
export interface DiskOperation {
  readonly name:
    | "create"
    | "write"
    | "sync"
    | "truncate"
    | "makeFolder"
    | "removeFolder"
    | "syncFolder"
    | "link"
    | "rename"
    | "unlink";
  /** The number of the call, starting at 1. */
  readonly number: number;
}

export interface Fault {
  /** The system error to throw, or "power", which also makes every later call fail. */
  readonly errno: string;
  /** Number of bytes that a failing write writes anyway. */
  readonly partial?: number;
}

/** Decides whether and how an operation fails. */
export type Faults = (operation: DiskOperation) => Fault | undefined;

/** Passes all calls to another disk, except calls that should fail. */
export class FailingDisk implements Disk {
  readonly operations: DiskOperation[] = [];
  faults: Faults;
  readonly #disk: Disk;
  #isDead = false;

  constructor(disk: Disk, faults: Faults = () => undefined) {
    this.#disk = disk;
    this.faults = faults;
  }

  /** Returns a disk with the content that the underlying disk would have after a power loss. */
  losePower(survival: Survival): SimulatedDisk {
    if (this.#disk instanceof SimulatedDisk) return this.#disk.losePower(survival);
    throw new Error("Only a simulated disk can lose power.");
  }

  open(path: string, how: OpenHow): number {
    if (how === "create") return this.#do("create", () => this.#disk.open(path, how));
    this.#check();
    return this.#disk.open(path, how);
  }

  close(file: number): void {
    this.#disk.close(file);
  }

  read(file: number, into: Uint8Array, position: number): number {
    this.#check();
    return this.#disk.read(file, into, position);
  }

  write(file: number, bytes: Uint8Array): number {
    return this.#do(
      "write",
      () => this.#disk.write(file, bytes),
      ({ partial = 0 }) => {
        if (partial > 0) this.#disk.write(file, bytes.subarray(0, partial));
      },
    );
  }

  sync(file: number): void {
    this.#do(
      "sync",
      () => this.#disk.sync(file),
      ({ errno }) => {
        if (errno !== "power" && this.#disk instanceof SimulatedDisk) this.#disk.dropUnsynced(file);
      },
    );
  }

  truncate(file: number, size: number): void {
    this.#do("truncate", () => this.#disk.truncate(file, size));
  }

  stat(path: string): DiskStat | undefined {
    this.#check();
    return this.#disk.stat(path);
  }

  list(folder: string): string[] {
    this.#check();
    return this.#disk.list(folder);
  }

  makeFolder(path: string): void {
    this.#do("makeFolder", () => this.#disk.makeFolder(path));
  }

  removeFolder(path: string): void {
    this.#do("removeFolder", () => this.#disk.removeFolder(path));
  }

  syncFolder(path: string): void {
    this.#do("syncFolder", () => this.#disk.syncFolder(path));
  }

  link(from: string, to: string): void {
    this.#do("link", () => this.#disk.link(from, to));
  }

  rename(from: string, to: string): void {
    this.#do("rename", () => this.#disk.rename(from, to));
  }

  unlink(path: string): void {
    this.#do("unlink", () => this.#disk.unlink(path));
  }

  #check(): void {
    if (this.#isDead) throw systemError("EIO", "the simulated power loss has happened");
  }

  #do<Result>(name: DiskOperation["name"], call: () => Result, onFault?: (fault: Fault) => void): Result {
    this.#check();
    const operation = { name, number: this.operations.length + 1 };
    this.operations.push(operation);
    const fault = this.faults(operation);
    if (fault === undefined) return call();
    onFault?.(fault);
    if (fault.errno === "power") this.#isDead = true;
    throw systemError(
      fault.errno === "power" ? "EIO" : fault.errno,
      `simulated failure of ${name} ${operation.number}`,
    );
  }
}
