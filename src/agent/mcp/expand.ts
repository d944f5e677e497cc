import type { McpServer } from "./config.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What a server's process gets of our environment: what programs need to work at all. Keys of providers, and whatever else a
 * person has there, reach a server only where `.mcp.json` names them.
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

/** The server with its variables filled in. A variable that is not set and has no default is a problem of that server alone. */
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
