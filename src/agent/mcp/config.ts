import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";
import { z } from "zod";
import { type Problem, WorldlineError } from "../../record/error.ts";

/** The contents of a `.mcp.json` file, before its variables are filled in. */
export interface McpConfig {
  readonly file: string;
  readonly servers: readonly McpServer[];
}

export type McpServer =
  | {
      readonly name: string;
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly name: string;
      readonly kind: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

const texts = z.record(z.string(), z.string());
const stdio = z.looseObject({
  type: z.literal("stdio").optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: texts.optional(),
});
const http = z.looseObject({
  type: z.enum(["http", "streamable-http"]).optional(),
  url: z.string().min(1),
  headers: texts.optional(),
});

/**
 * Reads the workspace's `.mcp.json`. Call this only for a trusted workspace, because the file names programs to start.
 */
export async function readMcpConfig(workspace: string): Promise<McpConfig | undefined> {
  const file = join(workspace, ".mcp.json");
  try {
    return parseMcpConfig(file, await readFile(file, "utf8"));
  } catch (cause) {
    if (cause instanceof WorldlineError) throw cause;
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WorldlineError("mcp-config-unreadable", { file, why }, { cause });
  }
}

/** Parses a `.mcp.json`. Throws SETTINGS_INVALID with the line and column of the first invalid part. */
export function parseMcpConfig(file: string, written: string): McpConfig {
  const text = written.replace(/^\ufeff/u, "");
  const invalid = (node: Node | undefined, reason: ShapeReason) =>
    invalidAt({ file, text }, node?.offset ?? 0, { reason, params: {} });
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (first !== undefined) {
    throw invalidAt({ file, text }, first.offset, { reason: "mcp-not-json", params: {} });
  }
  if (root?.type !== "object") throw invalid(root, "mcp-no-object");
  const table = findNodeAtLocation(root, ["mcpServers"]);
  if (table === undefined) return { file, servers: [] };
  if (table.type !== "object") throw invalid(table, "mcp-servers-no-object");
  const servers = (table.children ?? []).map((property): McpServer => {
    const [nameNode, node] = property.children ?? [];
    if (nameNode === undefined || node === undefined) throw invalid(property, "mcp-no-server");
    const name = String(getNodeValue(nameNode));
    const read = serverOf(name, getNodeValue(node));
    if ("kind" in read) return read;
    const { offset } = findNodeAtLocation(node, [...read.path]) ?? node;
    const params = { server: name, said: read.said, at: read.path.join(".") };
    throw invalidAt({ file, text }, offset, { reason: "mcp-server-invalid", params });
  });
  return { file, servers };
}

type ShapeReason = "mcp-no-object" | "mcp-servers-no-object" | "mcp-no-server";

interface Misfit {
  readonly path: readonly (string | number)[];
  readonly said: string | undefined;
}

function serverOf(name: string, json: unknown): McpServer | Misfit {
  const isHttp = typeof json === "object" && json !== null && "url" in json;
  if (isHttp) {
    const read = http.safeParse(json);
    if (!read.success) return misfitOf(read.error);
    return { name, kind: "http", url: read.data.url, headers: read.data.headers ?? {} };
  }
  const read = stdio.safeParse(json);
  if (!read.success) return misfitOf(read.error);
  const { command, args = [], env = {} } = read.data;
  return { name, kind: "stdio", command, args, env };
}

function misfitOf({ issues: [issue] }: z.ZodError): Misfit {
  const path = (issue?.path ?? []).map((step) => (typeof step === "symbol" ? String(step) : step));
  return { path, said: issue?.message };
}

function invalidAt(
  { file, text }: { file: string; text: string },
  offset: number,
  problem: Problem,
): WorldlineError {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  return new WorldlineError("mcp-config-invalid", { file, line, column, problem });
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment variables that a server's process inherits: only those that every program needs in order to run. API
 * keys and the user's other variables reach a server only if `.mcp.json` names them.
 */
const PASSED_ON =
  "PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL LC_CTYPE TZ TMPDIR TEMP TMP XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME " +
  "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE " +
  "SYSTEMROOT SYSTEMDRIVE APPDATA LOCALAPPDATA USERPROFILE PROGRAMFILES PATHEXT COMSPEC";

export function passedOn(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    PASSED_ON.split(" ").flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/**
 * Returns the server's configuration with its variables filled in. An unset variable without a default makes only that
 * server unusable.
 */
export function expandServer(
  server: McpServer,
  environment: Environment,
): { readonly server: McpServer } | { readonly missing: readonly string[] } {
  const missing: string[] = [];
  const fill = (text: string) =>
    text.replace(/\$\{(?<name>[A-Za-z_]\w*)(?::-(?<usual>[^}]*))?\}/gu, (...match) => {
      const { name = "", usual } = match.at(-1) as { name?: string; usual?: string };
      const value = environment[name] || usual;
      if (value === undefined) missing.push(name);
      return value ?? "";
    });
  const fillAll = (table: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(table).map(([name, value]) => [name, fill(value)]));
  const filled: McpServer =
    server.kind === "stdio"
      ? { ...server, command: fill(server.command), args: server.args.map(fill), env: fillAll(server.env) }
      : { ...server, url: fill(server.url), headers: fillAll(server.headers) };
  return missing.length === 0 ? { server: filled } : { missing: [...new Set(missing)] };
}
