import {
  type AppContext,
  type CommonOptions,
  openContext,
  type Surroundings,
} from "../../../src/app/context.ts";
import type { Notice, Progress } from "../../../src/app/notices.ts";
import type { playground } from "../../cli/support/command-line.ts";

interface Given {
  readonly common?: Partial<CommonOptions>;
  readonly surroundings?: Partial<Surroundings>;
}

/** The context of a use case in the workspace, with everything that the use case reports. */
export function contextAt(
  { home, workspace }: Pick<ReturnType<typeof playground>, "home" | "workspace">,
  { common, surroundings }: Given = {},
) {
  const notices: Notice[] = [];
  const progress: (Progress | "done")[] = [];
  const context: AppContext = openContext({
    common: {
      session: undefined,
      workspace: undefined,
      store: { kind: "files" },
      trust: false,
      settings: {},
      takeOver: "no",
      ...common,
    },
    surroundings: {
      environment: { WORLDLINE_HOME: home, PATH: process.env["PATH"] ?? "" },
      cwd: () => workspace,
      cancelled: new AbortController().signal,
      onInterrupt: () => () => undefined,
      knownWorkspaces: async () => [],
      ...surroundings,
    },
    listener: {
      report: (notice) => void notices.push(notice),
      progress: (each) => void progress.push(each),
      afterWork: () => undefined,
    },
  });
  return { context, notices, progress };
}

/** Interrupts that the test sends to the use case, and whether the use case still listens. */
export function interrupts() {
  const listeners = new Set<Parameters<Surroundings["onInterrupt"]>[0]>();
  return {
    onInterrupt: (listener: Parameters<Surroundings["onInterrupt"]>[0]) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    interrupt: (signal: Parameters<Parameters<Surroundings["onInterrupt"]>[0]>[0] = "SIGINT") => {
      for (const listener of [...listeners]) listener(signal);
    },
    listening: () => listeners.size,
  };
}
