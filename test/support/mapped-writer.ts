import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Each line on stdin makes one more commit, whose index SQLite writes into the `-shm` file through a mapping.
 */
const SCRIPT = `
import Database from "libsql";
import { createInterface } from "node:readline";
const database = new Database(process.argv[1]);
database.pragma("journal_mode = wal");
database.exec("create table notes (text)");
const insert = database.prepare("insert into notes values (?)");
console.log("written");
for await (const line of createInterface({ input: process.stdin })) {
  insert.run([line]);
  console.log("written");
}
database.close();
`;

export interface MappedWriter {
  /** The file next to the database that is only ever written through a mapping. */
  readonly mapped: string;
  /** Writes through the mapping once more. */
  write(): Promise<void>;
  /** Closes the database, which removes the mapped file, and ends the process. */
  close(): Promise<void>;
}

/**
 * Starts a process that keeps a file mapped and writes to it. Node cannot map files itself; SQLite can, and
 * is available wherever the tests run.
 */
export async function startMappedWriter(database: string): Promise<MappedWriter> {
  const project = fileURLToPath(new URL("../..", import.meta.url));
  const child = spawn(process.execPath, ["--input-type=module", "-e", SCRIPT, database], {
    cwd: project,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => {
    child.on("close", () => resolve());
  });
  const written = async (): Promise<void> => {
    await new Promise<void>((resolve, reject) => {
      child.stdout.once("data", () => resolve());
      child.once("exit", (code) => reject(new Error(`The process that maps a file exited with ${code}`)));
    });
  };
  await written();
  return {
    mapped: `${database}-shm`,
    write: async () => {
      const answer = written();
      child.stdin.write("one more\n");
      await answer;
    },
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
