import { EventEmitter } from "node:events";
import type { TerminalStreams } from "../../../src/tui/terminal/terminal.ts";

/** A 12-by-4 terminal that records what is written to it. */
export function standInStreams() {
  let written = "";
  let raw: boolean | undefined;
  const stdin = Object.assign(new EventEmitter(), {
    setRawMode: (mode: boolean) => {
      raw = mode;
    },
    setEncoding: () => undefined,
    resume: () => undefined,
    pause: () => undefined,
  });
  const stdout = Object.assign(new EventEmitter(), {
    columns: 12,
    rows: 4,
    write: (text: string) => {
      written += text;
      return true;
    },
  });
  return {
    stdin,
    stdout,
    writeNow: (text: string) => {
      written += text;
    },
    written: () => written,
    isRaw: () => raw,
    type: (data: string) => stdin.emit("data", data),
    resize: (columns: number, rows: number) => {
      Object.assign(stdout, { columns, rows });
      stdout.emit("resize");
    },
  } as unknown as TerminalStreams & StandIn;
}

interface StandIn {
  readonly written: () => string;
  readonly isRaw: () => boolean | undefined;
  readonly type: (data: string) => void;
  readonly resize: (columns: number, rows: number) => void;
}
