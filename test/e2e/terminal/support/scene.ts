import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ModelServer, openModelServer, type Responder } from "../../../../src/testing/testing.ts";
import type { Keyboard } from "./keys.ts";
import { newPlaces, type Places } from "./places.ts";
import { type Launch, Pty } from "./pty.ts";

export interface SceneOptions {
  /** The program to open, with the arguments that come before its own. */
  readonly program: readonly [file: string, ...args: string[]];
  /** By default, English. */
  readonly language?: "en" | "zh-CN";
  /** The model's replies. Without a script, there is no model. */
  readonly script?: Responder;
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface OpenOptions {
  /** By default, 80. */
  readonly columns?: number;
  /** By default, 24. */
  readonly rows?: number;
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly keyboard?: Keyboard;
  /**
   * "shell": started by a shell, which then prints "back in the shell" and the terminal's settings. By
   * default, "directly".
   */
  readonly started?: "directly" | "shell";
}

/** A workspace, a scripted model server, and the program, opened in one terminal after another. */
export interface Scene extends Places {
  readonly server: ModelServer | undefined;
  launchOf(options?: OpenOptions): Launch;
  open(options?: OpenOptions): Pty;
  read(path: string): string | undefined;
  close(): Promise<void>;
}

const LOCALES = { en: "en_US.UTF-8", "zh-CN": "zh_CN.UTF-8" } as const;

/** A small shop whose total is wrong. */
export const SHOP: Readonly<Record<string, string>> = {
  "README.md": "# Shop\n\nPrices, totals and a discount.\n",
  "src/cart.js":
    "export function total(items) {\n  return items.reduce((sum, item) => sum + item.price, 0);\n}\n\n" +
    "export function discount(amount, percent) {\n  return amount - amount * percent;\n}\n",
  "src/prices.json": '{ "apple": 120, "pear": 90 }\n',
  "notes.txt": "Ask about the pears.\n",
};

export async function openScene(options: SceneOptions): Promise<Scene> {
  const places = newPlaces(options.files ?? SHOP);
  const server = options.script === undefined ? undefined : await openModelServer(options.script);
  const model =
    server === undefined
      ? {}
      : { ...server.environment("anthropic"), WORLDLINE_MODEL: server.modelFor("anthropic") };
  const environment = {
    ...places.environment,
    LANG: LOCALES[options.language ?? "en"],
    ...model,
    ...options.environment,
  };
  const opened: Pty[] = [];
  const launchOf = (open: OpenOptions = {}): Launch =>
    launch({ ...options, environment }, open, places.workspace);
  return {
    ...places,
    environment,
    server,
    launchOf,
    open(open = {}) {
      const pty = new Pty(launchOf(open));
      opened.push(pty);
      return pty;
    },
    read(path) {
      const file = join(places.workspace, path);
      return existsSync(file) ? readFileSync(file, "utf8") : undefined;
    },
    async close() {
      await Promise.all(opened.map((pty) => pty.close()));
      await server?.close();
      places.remove();
    },
  };
}

function launch(scene: SceneOptions & Pick<Launch, "environment">, open: OpenOptions, cwd: string): Launch {
  const { columns = 80, rows = 24, keyboard = "legacy", started = "directly" } = open;
  const [file, ...first] = scene.program;
  const args = [...first, ...(open.arguments ?? [])];
  const environment = { ...scene.environment, ...open.environment };
  const rest = { cwd, environment, columns, rows, keyboard };
  if (started === "directly") return { file, args, ...rest };
  return {
    file: "sh",
    args: ["-c", '"$@"; echo "back in the shell: $?"; stty -a', "sh", file, ...args],
    ...rest,
  };
}
