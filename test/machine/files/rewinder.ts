import type { Session } from "../../../src/machine/session.ts";
import type { FileRewinder, HostPlace } from "../../../src/ports/file-rewinder.ts";
import type { MemoryWorkspace } from "../memory-workspace.ts";

/** The content that each file goes back to; undefined means that the file is removed. */
export type Backups = Readonly<Record<string, string | undefined>>;

/** Simulates another agent's file checkpoints: they name some paths, and change those with a backup. */
export class TestRewinder implements FileRewinder {
  readonly host = "claude";
  readonly name = "other agent";
  readonly limits = ["commands", "overwrites"] as const;
  readonly asked: string[] = [];
  /** Paths that are named but not changed, because their backup is missing. */
  readonly broken = new Set<string>();
  failing: { readonly on: "preview" | "rewind"; readonly error: Error } | undefined;
  readonly #files: MemoryWorkspace;
  readonly #backups: ReadonlyMap<string, Backups>;

  constructor(files: MemoryWorkspace, backups: Readonly<Record<string, Backups>>) {
    this.#files = files;
    this.#backups = new Map(Object.entries(backups));
  }

  async preview(place: HostPlace): Promise<{ readonly paths: readonly string[] }> {
    this.asked.push(`preview ${place.hostSession} ${place.message}`);
    if (this.failing?.on === "preview") throw this.failing.error;
    return { paths: Object.keys(this.#backups.get(place.message) ?? {}).map((path) => `/work/${path}`) };
  }

  async rewind(place: HostPlace): Promise<void> {
    this.asked.push(`rewind ${place.hostSession} ${place.message}`);
    for (const [path, text] of Object.entries(this.#backups.get(place.message) ?? {})) {
      if (this.broken.has(path)) continue;
      if (text === undefined) this.#files.remove(path);
      else this.#files.write(path, text);
    }
    if (this.failing?.on === "rewind") throw this.failing.error;
  }
}

/** A prompt to the other agent, with a capture of its files. */
export async function hostPrompt(session: Session, text: string, message: string): Promise<number> {
  const { checkpoint } = await session.prompt(text, {
    kind: "host",
    host: "claude",
    hostSession: "s1",
    message,
  });
  await session.capture({ checkpoint, author: "outside" });
  return checkpoint;
}

/** A tool call of the other agent that does `work`. */
export async function toolThat(session: Session, call: string, work: () => void): Promise<void> {
  await session.reply({ model: "m", parts: [{ type: "tool-call", call, name: "Write", input: {} }] });
  await session.toolStart(call, "Write");
  work();
  await session.toolEnd(call, "ok", "done");
}
