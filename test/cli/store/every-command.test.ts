import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { knownWorkspaces } from "../../../src/app/sessions/store.ts";
import type { CommandEntry } from "../../../src/cli/command.ts";
import type { Surroundings } from "../../../src/cli/frame.ts";
import { commands } from "../../../src/cli/registry.ts";
import { openSession } from "../../../src/open-session.ts";
import { playground } from "../support/command-line.ts";

/**
 * An example line for each command, and whether it has to open the store. A command without a line here fails
 * the test.
 */
const lines: Readonly<Record<string, readonly [line: string, store: "asked" | "not-asked" | "told"]>> = {
  agent: ["-c -p hello", "asked"],
  resume: ["resume", "asked"],
  models: ["models", "not-asked"],
  setup: ["setup", "not-asked"],
  checkpoint: ["checkpoint one", "asked"],
  checkpoints: ["checkpoints", "asked"],
  label: ["label 1 one", "asked"],
  rewind: ["rewind 1 --yes", "asked"],
  redo: ["redo --yes", "asked"],
  fork: ["fork", "asked"],
  compact: ["compact", "asked"],
  diff: ["diff 1", "asked"],
  show: ["show 1:a.txt", "asked"],
  "export-files": ["export-files 1 out", "asked"],
  why: ["why a.txt", "asked"],
  watch: ["watch", "asked"],
  run: ["run -- true", "asked"],
  find: ["find -- false", "asked"],
  prove: ["prove no-such-folder", "not-asked"],
  log: ["log", "asked"],
  tree: ["tree", "asked"],
  context: ["context", "asked"],
  stats: ["stats", "asked"],
  story: ["story", "not-asked"],
  executions: ["executions", "asked"],
  "executions show": ["executions show exec-1", "asked"],
  "executions restore": ["executions restore exec-1 --yes", "asked"],
  "executions delete": ["executions delete exec-1 --yes", "asked"],
  sessions: ["sessions", "asked"],
  "sessions list": ["sessions list", "asked"],
  "sessions show": ["sessions show k3f9", "asked"],
  "sessions search": ["sessions search one", "asked"],
  "sessions rename": ["sessions rename k3f9 one", "asked"],
  "sessions confirm": ["sessions confirm k3f9", "asked"],
  "sessions delete": ["sessions delete k3f9", "asked"],
  "sessions undelete": ["sessions undelete k3f9", "asked"],
  "sessions export": ["sessions export k3f9", "asked"],
  "sessions import": ["sessions import --from kimi k3f9", "not-asked"],
  config: ["config", "not-asked"],
  "config get": ["config get lock.leaseMs", "not-asked"],
  "config set": ["config set lock.leaseMs 2000", "not-asked"],
  "config trust": ["config trust", "not-asked"],
  "config untrust": ["config untrust", "not-asked"],
  doctor: ["doctor --fix", "told"],
  store: ["store", "not-asked"],
  "store du": ["store du", "not-asked"],
  "store verify": ["store verify", "not-asked"],
  "store gc": ["store gc --yes", "not-asked"],
  forget: ["forget secret --yes", "asked"],
};

const UNREACHABLE = "postgres://ann:s3cret@127.0.0.1:1/none?connect_timeout=1";

async function namesOf(entries: readonly CommandEntry[], before = ""): Promise<string[]> {
  const names = await Promise.all(
    entries.map(async ({ name, load }) => [
      `${before}${name}`,
      ...(await namesOf((await load()).subcommands, `${before}${name} `)),
    ]),
  );
  return names.flat();
}

/** Commands that handle signals themselves get Ctrl-C again and again. */
const interrupted: Surroundings["onInterrupt"] = (listener) => {
  const timer = setInterval(() => listener("SIGINT"), 300);
  return () => clearInterval(timer);
};

describe("every command", () => {
  it("has a line in these tests", async () => {
    expect(Object.keys(lines).sort()).toEqual(["agent", ...(await namesOf(commands))].sort());
  });

  it("writes to no file when --store names a database", { timeout: 60_000 }, async () => {
    const wrote = await Promise.all(
      Object.entries(lines).map(async ([name, [line]]) => {
        const { root, home, workspace, worldline } = playground();
        const store = `sqlite:${join(root, "x.db")}`;
        await (await openSession({ home, workspace, store, mode: "workspace" })).close();
        await worldline(["--store", store, ...line.split(" ")], { onInterrupt: interrupted });
        return [name, existsSync(join(home, "sessions"))];
      }),
    );
    expect(wrote).toEqual(Object.keys(lines).map((name) => [name, false]));
  });

  it("says that the store cannot be reached, where it needs it, and not its password", {
    timeout: 60_000,
  }, async () => {
    const said = await Promise.all(
      Object.entries(lines).map(async ([name, [line]]) => {
        const { home, worldline } = playground();
        const environment = { WORLDLINE_STORE: UNREACHABLE, WORLDLINE_DEBUG: "1", ANTHROPIC_API_KEY: "none" };
        const words = ["--json", ...line.split(" ")];
        const { code, stdout, stderr } = await worldline(words, { environment, onInterrupt: interrupted });
        const all = `${stdout}${stderr}`;
        const isUnreachable = code === 1 && all.includes(`STORE_UNREACHABLE`);
        const isTold = code === 1 && all.includes("postgres://ann@127.0.0.1:1/none");
        return {
          name,
          store: isUnreachable ? "asked" : isTold ? "told" : "not-asked",
          isSafe: !all.includes("s3cret") && !existsSync(join(home, "sessions")),
        };
      }),
    );
    expect(said).toEqual(Object.entries(lines).map(([name, [, store]]) => ({ name, store, isSafe: true })));
  });
});

describe("the workspaces that have a session", () => {
  it("are asked of the store, one question a folder", async () => {
    const { root, home, workspace } = playground();
    const store = { kind: "sqlite", path: join(root, "x.db") } as const;
    const search = { home, store, folders: [join(workspace, "deep"), workspace, root] };
    expect(await knownWorkspaces(search)).toEqual([]);
    expect(existsSync(store.path)).toBe(false);
    await (await openSession({ home, workspace, store: `sqlite:${store.path}` })).close();
    expect(await knownWorkspaces(search)).toEqual([workspace]);
  });

  it("are none if the store does not answer, and soon", async () => {
    const { home, workspace } = playground();
    const address = "postgres://ann@127.0.0.1:1/none";
    const store = { kind: "postgres", url: address, name: address } as const;
    const began = Date.now();
    expect(await knownWorkspaces({ home, store, folders: [workspace] })).toEqual([]);
    expect(Date.now() - began).toBeLessThan(3_000);
  });
});
