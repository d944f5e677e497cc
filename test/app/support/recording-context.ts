import { join } from "node:path";
import { type AppContext, type CommonOptions, openContext, RunStores } from "../../../src/app/context.ts";
import type { Notice, Progress } from "../../../src/app/notices.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import type { playground } from "../../cli/support/command-line.ts";

interface Given {
  readonly common?: Partial<CommonOptions>;
  readonly environment?: Record<string, string>;
  readonly cwd?: string;
  readonly cancelled?: AbortSignal;
  /** An open store, which is used as if it were a database. */
  readonly store?: LogStore;
}

/** What a use case reported in addition to its result. */
interface Recorded {
  readonly context: AppContext;
  readonly notices: Notice[];
  readonly progress: (Progress | "done")[];
  /** Runs the work that use cases left for the end of the command. */
  readonly endWork: () => void;
}

/** The context of a use case in the playground's workspace, which records everything that is reported to it. */
export function recordingContext(
  { home, workspace }: Pick<ReturnType<typeof playground>, "home" | "workspace">,
  {
    common = {},
    environment = {},
    cwd = workspace,
    cancelled = new AbortController().signal,
    store,
  }: Given = {},
): Recorded {
  const notices: Notice[] = [];
  const progress: (Progress | "done")[] = [];
  const later: (() => void)[] = [];
  const context = openContext({
    common: {
      session: undefined,
      workspace: undefined,
      store: store === undefined ? { kind: "files" } : { kind: "sqlite", path: databaseIn(home) },
      trust: false,
      settings: {},
      takeOver: "no",
      ...common,
    },
    surroundings: {
      environment: { WORLDLINE_HOME: home, ...environment },
      cwd: () => cwd,
      cancelled,
      onInterrupt: () => () => undefined,
      knownWorkspaces: async () => [],
      ...(store === undefined ? {} : { stores: storesWith(store, home) }),
    },
    listener: {
      report: (notice) => notices.push(notice),
      progress: (each) => progress.push(each),
      afterWork: (work) => later.push(work),
    },
  });
  const endWork = () => {
    for (const work of later) work();
  };
  return { context, notices, progress, endWork };
}

function databaseIn(home: string): string {
  return join(home, "sessions.db");
}

function storesWith(store: LogStore, home: string): RunStores {
  const place = { kind: "sqlite", name: databaseIn(home), reach: store.place.reach } as const;
  const opened: LogStore = Object.assign(Object.create(store), { place });
  return Object.assign(new RunStores(), { open: () => opened });
}
