import { BESIDE_DATABASE } from "../record/files.ts";

/** "WLDN", the application id that SQLite stores in the header of a file to show which program the file belongs to. */
export const APPLICATION_ID = 0x57_4c_44_4e;

const MAGIC = Buffer.from("SQLite format 3\0", "latin1");
const APPLICATION_ID_AT = 68;
/** Number of bytes at the beginning of a file that `isOwnDatabase` examines. */
export const DATABASE_HEAD_BYTES: number = APPLICATION_ID_AT + 4;

/** Checks whether a file that begins with these bytes is a Worldline session database. */
export function isOwnDatabase(head: Buffer): boolean {
  return (
    head.length >= DATABASE_HEAD_BYTES &&
    head.subarray(0, MAGIC.length).equals(MAGIC) &&
    head.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID
  );
}

/** If a file with this name belongs to a database, returns the database's path. */
export function databaseBeside(path: string): string | undefined {
  const end = BESIDE_DATABASE.find((each) => path.endsWith(each));
  return end === undefined ? undefined : path.slice(0, -end.length);
}

interface FileNumbers {
  readonly inode: number;
  readonly device: number;
}

/** Contains one element for each database connection that this process has open. */
const held = new Set<FileNumbers>();

/**
 * Registers a database that this process has open. While the database is registered, no code in the process may open
 * the file directly, because closing the file would drop all locks that SQLite has on it. Returns a function that
 * unregisters the database.
 */
export function holdDatabase({ inode, device }: FileNumbers): () => void {
  const file = { inode, device };
  held.add(file);
  return () => held.delete(file);
}

/**
 * Checks whether this process has the file with this device and inode open as a database. If no device is given,
 * compares only the inode, which shows whether the file may be open.
 */
export function isHeldDatabase(file: Pick<FileNumbers, "inode"> & Partial<FileNumbers>): boolean {
  for (const { inode, device } of held) {
    if (inode === file.inode && (file.device ?? device) === device) return true;
  }
  return false;
}

/** Checks whether this process has any database open. Most processes have none. */
export function holdsDatabases(): boolean {
  return held.size > 0;
}
