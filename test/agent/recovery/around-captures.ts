import type { Captured, CaptureRequest, WorkspaceFiles } from "../../../src/ports/workspace-files.ts";

/** Runs before each capture: it may delay the capture, or throw instead of it. */
export type BeforeCapture = (number: number, request: CaptureRequest) => Promise<void>;

/** Wraps workspace files so that `before` runs ahead of every capture. Captures are numbered from 1. */
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

/** Closed until a test opens it. */
export class Gate {
  readonly passed: Promise<void>;
  open: () => void = () => undefined;

  constructor() {
    this.passed = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}
