import type { Captured, CaptureRequest, WorkspaceFiles } from "../../../src/ports/workspace-files.ts";

/** What stands before each capture: it may take its time, or throw in the capture's place. */
export type BeforeCapture = (number: number, request: CaptureRequest) => Promise<void>;

/** The same files, captured as slowly or badly as `before` says. Counted from 1. */
export function aroundCaptures(before: BeforeCapture): (files: WorkspaceFiles) => WorkspaceFiles {
  let count = 0;
  return (files) =>
    new Proxy(files, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (name !== "capture") return value.bind(target) as unknown;
        return async (request: CaptureRequest): Promise<Captured> => {
          count += 1;
          await before(count, request);
          return target.capture(request);
        };
      },
    });
}

/** Shut until somebody opens it. */
export class Gate {
  readonly passed: Promise<void>;
  open: () => void = () => undefined;

  constructor() {
    this.passed = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}
