import { systemCode } from "../../app/places/system-error.ts";

/** What we need of a stream that a person or a program reads. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(content: string | Uint8Array, done: (error?: Error | null) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Writes to a stream whose reader may go away. */
export interface Pipe {
  write(text: string): void;
  /** Resolves when the piece was taken, so that a slow reader slows the writer down; "gone" when nobody takes any more. */
  hand(piece: string | Uint8Array): Promise<"taken" | "gone">;
  /** Resolves when all was handed over. A reader that left (`| head`) is no failure; a full disk is, and is returned. */
  drained(): Promise<Error | undefined>;
}

export function openPipe(stream: OutputStream): Pipe {
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
  };
  stream.on("error", fail);
  return {
    write(text) {
      if (failure !== undefined) return;
      stream.write(text, (error) => {
        if (error) fail(error);
      });
    },
    async hand(piece) {
      if (failure !== undefined) return "gone";
      await new Promise<void>((resolve) => {
        stream.write(piece, (error) => {
          if (error) fail(error);
          resolve();
        });
      });
      return failure === undefined ? "taken" : "gone";
    },
    async drained() {
      // The callback of an empty write comes after those of all earlier ones.
      if (failure === undefined) await new Promise<void>((resolve) => stream.write("", () => resolve()));
      return failure === undefined || isReaderGone(failure) ? undefined : failure;
    },
  };
}

function isReaderGone(error: Error): boolean {
  return systemCode(error) === "EPIPE";
}
