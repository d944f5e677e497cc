import { BESIDE_DATABASE } from "../record/files.ts";

/**
 * "WLDN". SQLite stores this application id in the header of a file, where it shows which program the file belongs to.
 */
export const APPLICATION_ID = 0x57_4c_44_4e;

const MAGIC = Buffer.from("SQLite format 3\0", "latin1");
const APPLICATION_ID_AT = 68;
/** The number of bytes of a file that `isOwnDatabase` examines. */
export const DATABASE_HEAD_BYTES: number = APPLICATION_ID_AT + 4;

/** Whether a file that begins with these bytes is a session database of Worldline. */
export function isOwnDatabase(head: Buffer): boolean {
  return (
    head.length >= DATABASE_HEAD_BYTES &&
    head.subarray(0, MAGIC.length).equals(MAGIC) &&
    head.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID
  );
}

/** The path of the database that a file with this name would belong to. */
export function databaseBeside(path: string): string | undefined {
  const end = BESIDE_DATABASE.find((each) => path.endsWith(each));
  return end === undefined ? undefined : path.slice(0, -end.length);
}

interface FileNumbers {
  readonly inode: number;
  readonly device: number;
}

/** Contains one element for each connection that this process has open. */
const held = new Set<FileNumbers>();

/**
 * Registers a database that this process has open. While it is registered, no code in the process may open the file
 * directly, because closing it would drop all locks that SQLite has on it. Returns a function that unregisters the
 * database.
 */
export function holdDatabase({ inode, device }: FileNumbers): () => void {
  const file = { inode, device };
  held.add(file);
  return () => held.delete(file);
}

/**
 * Whether this process has the file with this device and inode open as a database. If no device is given, whether that
 * is possible.
 */
export function isHeldDatabase(file: Pick<FileNumbers, "inode"> & Partial<FileNumbers>): boolean {
  for (const { inode, device } of held) {
    if (inode === file.inode && (file.device ?? device) === device) return true;
  }
  return false;
}

/** Whether this process has any database open, which most processes do not. */
export function holdsDatabases(): boolean {
  return held.size > 0;
}
