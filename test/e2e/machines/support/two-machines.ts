import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { openModelServer, type Responder } from "../../../../src/testing/testing.ts";
import { askPostgres, freshPostgres } from "../../../support/postgres/postgres.ts";
import { type Machine, machineOf } from "./machine.ts";

interface SceneOptions {
  /** By default, a fresh database on the server of this test run. */
  readonly url?: string;
  /** By default, the program's own value. */
  readonly leaseMs?: number;
  readonly files?: Readonly<Record<string, string>>;
}

export type TwoMachines = Awaited<ReturnType<typeof twoMachines>>;

/**
 * Two machines with one database. Each has its own disk, but the workspace has the same path on both: only
 * one of the disks is mounted there at a time, and `turnTo` switches between them.
 */
export async function twoMachines(responder: Responder, options: SceneOptions = {}) {
  const server = await openModelServer(responder);
  onTestFinished(() => server.close());
  const url = options.url ?? (await freshPostgres());
  const password = new URL(url).password;
  const root = realpathSync(mkdtempSync(join(tmpdir(), "worldline-machines-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const workspace = join(root, "work", "shop");
  const disk = (name: string): string => join(root, `disk-of-${name}`);
  for (const folder of [workspace, disk("bert")]) writeFiles(folder, options.files ?? {});

  let heard = "";
  const { leaseMs } = options;
  const environment = {
    ...server.environment("anthropic"),
    WORLDLINE_MODEL: server.modelFor("anthropic"),
    WORLDLINE_PERMISSIONS_MODE: "auto",
    WORLDLINE_STORE: url,
    WORLDLINE_DEBUG: "1",
    ...(leaseMs === undefined ? {} : { WORLDLINE_LOCK_LEASE_MS: String(leaseMs) }),
  };
  const hear = (text: string): void => {
    heard += text;
  };
  const named = (name: string): Machine => machineOf({ name, root, workspace, environment, hear });
  const machines = { anna: named("anna"), bert: named("bert") };
  let present: keyof typeof machines = "anna";

  return {
    ...machines,
    server,
    url,
    workspace,
    hear,
    /** Mounts this machine's disk at the workspace's path. */
    turnTo: (name: keyof typeof machines): void => {
      if (name === present) return;
      renameSync(workspace, disk(present));
      renameSync(disk(name), workspace);
      present = name;
    },
    /** Copies the key of anna's home to bert's, which makes the two one home. */
    shareKey: (): void => {
      const [from, to] = [machines.anna.home, machines.bert.home].map((home) => join(home, ".worldline"));
      mkdirSync(String(to), { recursive: true, mode: 0o700 });
      copyFileSync(join(String(from), "home.key"), join(String(to), "home.key"));
    },
    read: (path: string): string | undefined => {
      const file = join(workspace, path);
      return existsSync(file) ? readFileSync(file, "utf8") : undefined;
    },
    write: (path: string, text: string): void => writeFiles(workspace, { [path]: text }),
    /** Resolves when the lease of the session has expired by the database's clock. */
    leaseOver: async (session: string): Promise<void> => {
      const isOver = `SELECT expires_at <= extract(epoch FROM clock_timestamp()) * 1000 AS over ${LEASE_OF}`;
      await expect
        .poll(async () => (await askPostgres(url, isOver, [session]))[0]?.["over"], { timeout: 30_000 })
        .toBe(true);
    },
    /** Expires the lease of a dead machine immediately, for tests that need not wait for that. */
    endLease: async (session: string): Promise<void> => {
      const key = `SELECT session_key ${LEASE_OF}`;
      await askPostgres(url, `UPDATE worldline_leases SET expires_at = 0 WHERE session_key = (${key})`, [
        session,
      ]);
    },
    /** The places where the database password appears although it must not. */
    leaks: (): readonly string[] => [
      ...(heard.includes(password) ? ["what the program said"] : []),
      ...(JSON.stringify(server.requests.map(({ body }) => body)).includes(password) ? ["a request"] : []),
      ...Object.values(machines).flatMap((each) => each.filesWith(password)),
    ],
  };
}

const LEASE_OF = "FROM worldline_leases JOIN worldline_sessions USING (session_key) WHERE id = $1";

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
