import { type CommonOptions, openContext } from "../../../src/app/context.ts";
import type { Notice } from "../../../src/app/notices.ts";
import { playground } from "../../cli/support/command-line.ts";
import { frameOf } from "../../cli/support/frame-of.ts";

interface Given {
  readonly environment?: Record<string, string>;
  /** The user's settings. */
  readonly settings?: object;
  readonly common?: Partial<CommonOptions>;
  readonly place?: Pick<
    ReturnType<typeof playground>,
    "root" | "home" | "workspace" | "write" | "everything"
  >;
}

/** A context in a temporary home and workspace, with the notices that use cases report to it. No Ollama is running. */
export function reportingContext({ environment, settings, common, place = playground() }: Given = {}) {
  if (settings !== undefined) place.write("user", JSON.stringify(settings, null, 2));
  const frame = frameOf(place, { environment: { OLLAMA_HOST: "127.0.0.1:1", ...environment } });
  const reported: Notice[] = [];
  const context = openContext({
    common: { ...frame.common, ...common },
    surroundings: frame.surroundings,
    listener: { ...frame.listener, report: (notice) => void reported.push(notice) },
  });
  return { ...place, context, reported };
}

/** A server that is not on this machine and takes any key. It is never contacted. */
export const REMOTE = { kind: "compatible", baseUrl: "https://models.example/v1" } as const;
