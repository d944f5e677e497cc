import { BESIDE_DATABASE } from "../record/files.ts";

/** "WLDN": what SQLite keeps for a program in the header of a file, so that the file shows which program it belongs to. */
export const APPLICATION_ID = 0x57_4c_44_4e;

const MAGIC = Buffer.from("SQLite format 3\0", "latin1");
const APPLICATION_ID_AT = 68;
/** As much of a file as `isOwnDatabase` looks at. */
export const DATABASE_HEAD_BYTES: number = APPLICATION_ID_AT + 4;

/** Whether a file that begins with these bytes is a database that Worldline keeps sessions in. */
export function isOwnDatabase(head: Buffer): boolean {
  return (
    head.length >= DATABASE_HEAD_BYTES &&
    head.subarray(0, MAGIC.length).equals(MAGIC) &&
    head.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID
  );
}

/** The database that a file of this name would belong to. */
export function databaseBeside(path: string): string | undefined {
  const end = BESIDE_DATABASE.find((each) => path.endsWith(each));
  return end === undefined ? undefined : path.slice(0, -end.length);
}

interface FileNumbers {
  readonly inode: number;
  readonly device: number;
}

/** One for each connection that this process has. */
const held = new Set<FileNumbers>();

/**
 * Says that this process has a database open. No code in it may open the file itself then: closing it again would take away
 * all locks that SQLite has on it. Returns how to say that it is closed.
 */
export function holdDatabase({ inode, device }: FileNumbers): () => void {
  const file = { inode, device };
  held.add(file);
  return () => held.delete(file);
}

/** Whether this process has the file of these numbers open as a database; without a device, whether it may. */
export function isHeldDatabase(file: Pick<FileNumbers, "inode"> & Partial<FileNumbers>): boolean {
  for (const { inode, device } of held) {
    if (inode === file.inode && (file.device ?? device) === device) return true;
  }
  return false;
}

/** Whether this process has any open at all: most have none. */
export function holdsDatabases(): boolean {
  return held.size > 0;
}
