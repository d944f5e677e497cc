/** Environment variables by name; `process.env`, or a test's own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How a request gets to an address. */
export type Route =
  | { readonly via: "direct" }
  /** `variable` is the one that names the proxy. */
  | { readonly via: "proxy"; readonly proxy: string; readonly variable: string };

const DIRECT: Route = { via: "direct" };
/** As curl and undici look for them: an https address also goes through the proxy for http, where that is the only one. */
const VARIABLES = {
  "https:": ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"],
  "http:": ["http_proxy", "HTTP_PROXY"],
} as const;

/** Decides purely, so that an error can say what was really tried. */
export function routeTo(url: URL, environment: Environment): Route {
  if (isLoopback(url.hostname) || isExempt(url, environment)) return DIRECT;
  const variables = url.protocol === "https:" ? VARIABLES["https:"] : VARIABLES["http:"];
  for (const variable of variables) {
    const proxy = environment[variable]?.trim();
    if (proxy) return { via: "proxy", proxy: proxy.includes("://") ? proxy : `http://${proxy}`, variable };
  }
  return DIRECT;
}

/** An address as it may be shown and logged: without the name and the password that it is used with. */
export function shownAddress(address: string): string {
  // What is no address may hold a password all the same, with a slash in it.
  if (!URL.canParse(address)) return address.replace(/^([^/]*\/\/)?.*@/s, "$1");
  const url = new URL(address);
  if (url.username === "" && url.password === "") return address;
  url.username = "";
  url.password = "";
  return address.endsWith("/") ? url.href : url.href.replace(/\/$/, "");
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname);
}

function isExempt(url: URL, environment: Environment): boolean {
  const list = environment["no_proxy"] ?? environment["NO_PROXY"] ?? "";
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => matches(entry.toLowerCase(), url.hostname.toLowerCase(), port));
}

/** "*", "host", ".domain", "*.domain", each with ":port" or without. A domain without a dot in front covers what is below it too. */
function matches(entry: string, hostname: string, port: string): boolean {
  if (entry === "*") return true;
  const [, host = entry, ofPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (ofPort !== undefined && ofPort !== port) return false;
  const domain = host.replace(/^\*?\./, "");
  return hostname === domain || hostname.endsWith(`.${domain}`);
}
