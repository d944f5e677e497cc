import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Places {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
  write(path: string, text: string): void;
  remove(): void;
}

/**
 * A home with a workspace in it, and an environment that refers to nothing else. The workspace is inside the
 * home, so that its path on the screen has the same length on every machine.
 */
export function newPlaces(files: Readonly<Record<string, string>> = {}): Places {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "worldline-terminal-")));
  const home = join(root, "home");
  const workspace = join(home, "shop");
  const folders = {
    HOME: home,
    WORLDLINE_HOME: join(home, ".worldline"),
    XDG_CONFIG_HOME: join(root, "config"),
    XDG_DATA_HOME: join(root, "data"),
    XDG_STATE_HOME: join(root, "state"),
    XDG_CACHE_HOME: join(root, "cache"),
    TMPDIR: join(root, "tmp"),
  };
  for (const folder of [workspace, ...Object.values(folders)]) mkdirSync(folder, { recursive: true });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return {
    root,
    home,
    workspace,
    environment: {
      ...folders,
      PATH: process.env["PATH"] ?? "",
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
      TZ: "UTC",
      // An address that nothing listens on, so that a model running on this machine is not found.
      OLLAMA_HOST: "http://127.0.0.1:9",
    },
    write,
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}
