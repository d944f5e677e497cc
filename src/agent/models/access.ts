import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Disk } from "../../disk/disk.ts";
import { writeError } from "../../disk/disk.ts";
import { DurableFolders, replaceFile, tryToRemove, writeNew } from "../../disk/durable-files.ts";
import type { Clock } from "../../ports/clock.ts";
import { errnoOf, isMissing, WorldlineError } from "../../record/error.ts";
import { isJsonObject } from "../../record/parts.ts";
import {
  basicLogin,
  type Environment,
  type HttpLimits,
  httpFetch,
  routeTo,
  shownAddress,
} from "../http-fetch.ts";
import type { CatalogueRow, ProviderKind } from "./catalogue.ts";
import type { FailureContext } from "./wire/failure.ts";

/** Everything needed to call one of a provider's models. */
export interface Access {
  /** The part of the model's name before the slash. */
  readonly provider: string;
  readonly kind: ProviderKind;
  /** The base URL, without a trailing slash or a password. */
  readonly baseUrl: string;
  readonly key?: string;
  /** How the key is sent: in the provider's own header, or as a bearer token. */
  readonly keyAs: "key" | "bearer";
  readonly keyFrom: FailureContext["keyFrom"];
  readonly row: CatalogueRow;
  readonly environment: Environment;
  readonly patience: HttpLimits;
  readonly fetch: typeof fetch;
}

/** Returns everything after the first slash, because a model's own name may contain slashes. */
export function nameOf(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}

export function failureContextOf(access: Access): (cancelled: FailureContext["cancelled"]) => FailureContext {
  const { row, baseUrl, keyFrom, key, environment, patience } = access;
  const route = routeTo(new URL(baseUrl), environment);
  const proxy =
    route.via === "direct" ? {} : { proxy: { address: shownAddress(route.proxy), variable: route.variable } };
  const secrets = key === undefined ? [] : [key];
  const { connectMs, silenceMs, firstByteMs = silenceMs } = patience;
  return (cancelled) => ({
    model: row.model,
    baseUrl,
    ...proxy,
    keyFrom,
    secrets,
    connectMs,
    silenceMs,
    firstByteMs,
    now: Date.now(),
    cancelled,
  });
}

/**
 * Returns the default limit for a reply: the model's own limit, but at most the part of the window that compaction
 * keeps free. Some providers reject a request if its context and limit together exceed the window.
 */
export function outputLimit({ maxOutput, window }: CatalogueRow): number | undefined {
  return maxOutput === undefined ? undefined : Math.min(maxOutput, 50_000, Math.floor(window / 4));
}

const OTHERS = 0o077;
const TOKEN_BYTES = 8;
/** Size of the trial file: larger than a file that contains all of a user's keys. */
const TRIAL_BYTES = 4096;

/** API keys, indexed by the name of their environment variable. */
export interface Keys {
  find(variable: string): { readonly key: string; readonly from: "environment" | "file" } | undefined;
}

/** Returns the path to the key file. */
export function keysPath(home: string): string {
  return join(home, "keys.json");
}

/**
 * Returns the keys from the environment and from the key file, which may be missing. Keys from the environment take
 * precedence.
 */
export function readKeys(home: string, environment: Environment): Keys {
  let file: Readonly<Record<string, string>> | undefined;
  return {
    find: (variable) => {
      const key = environment[variable]?.trim();
      if (key) return { key, from: "environment" };
      file ??= readKeysFile(keysPath(home));
      const kept = file[variable];
      return kept === undefined ? undefined : { key: kept, from: "file" };
    },
  };
}

/** Checks the key file. Throws if it cannot be read, or if other users can read it. */
export function checkKeys(home: string): void {
  readKeysFile(keysPath(home));
}

/** Throws if a key cannot be saved. Called before the key is tested, because the test costs money. */
export function requireRoomForKeys({ disk, clock }: KeyTools, home: string): void {
  checkKeys(home);
  const trial = `${keysPath(home)}.${Buffer.from(clock.random(TOKEN_BYTES)).toString("hex")}`;
  writing(home, () => {
    new DurableFolders(disk, home).make(home);
    try {
      writeNew(disk, trial, Buffer.alloc(TRIAL_BYTES));
    } finally {
      tryToRemove(disk, trial);
    }
  });
}

interface KeyTools {
  readonly disk: Disk;
  readonly clock: Clock;
}

export interface KeyToKeep {
  readonly home: string;
  readonly variable: string;
  readonly key: string;
}

/** Saves a key in the key file, which only its owner can read. Keeps all other keys in the file. */
export function keepKey(tools: KeyTools, { home, variable, key }: KeyToKeep): void {
  const trimmed = key.trim();
  if (trimmed === "" || /[\s\p{Cc}]/u.test(trimmed)) {
    throw new WorldlineError("key-invalid", {});
  }
  const keys = { ...readKeysFile(keysPath(home)), [variable]: trimmed };
  writing(home, () => new DurableFolders(tools.disk, home).make(home));
  writeKeysFile(tools, home, keys);
}

/** Removes a key from the key file. Keeps all other keys in the file. */
export function dropKey(tools: KeyTools, { home, variable }: Omit<KeyToKeep, "key">): "dropped" | "not-kept" {
  const keys = readKeysFile(keysPath(home));
  if (!Object.hasOwn(keys, variable)) return "not-kept";
  const { [variable]: _dropped, ...others } = keys;
  writeKeysFile(tools, home, others);
  return "dropped";
}

function writeKeysFile(tools: KeyTools, home: string, keys: Readonly<Record<string, string>>): void {
  const bytes = Buffer.from(`${JSON.stringify(keys, null, 2)}\n`);
  writing(home, () => {
    replaceFile(tools, { path: keysPath(home), bytes, content: "synced" });
    tools.disk.syncFolder(home);
  });
}

/** Runs `write` and converts a disk error into a Worldline error. */
function writing(home: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause;
    throw writeError(cause, { what: "model-keys", of: keysPath(home) });
  }
}

function readKeysFile(path: string): Readonly<Record<string, string>> {
  let text: string;
  try {
    refuseIfOthersCanRead(path);
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return {};
    if (error instanceof WorldlineError) throw error;
    throw new WorldlineError("keys-unreadable", { path }, { cause: error });
  }
  return parsed(text, path);
}

function refuseIfOthersCanRead(path: string): void {
  // Windows does not have these permission bits, so the bits that it reports mean nothing.
  if (process.platform === "win32") return;
  if ((statSync(path).mode & OTHERS) === 0) return;
  throw new WorldlineError("keys-open-to-others", { path });
}

/** Parses the key file. Errors never quote its text, because the text contains keys. */
function parsed(text: string, path: string): Readonly<Record<string, string>> {
  const value = jsonOf(text);
  if (!isJsonObject(value)) {
    throw new WorldlineError("keys-not-an-object", { path });
  }
  const pairs = Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return Object.fromEntries(pairs.filter(([, key]) => key.trim() !== ""));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Content types that a model server never sends: pages, pictures and downloads. Plain text is not included, because
 * some servers stream replies as plain text.
 */
const NO_REPLY =
  /^(text\/(html|xml|css)|application\/(xhtml\+xml|xml|pdf|zip)|image\/|audio\/|video\/|font\/)/iu;

/** Thrown if something other than a model server responds at the address, such as a login page or a website. */
export class NoModelServer extends Error {
  readonly code = "NO_MODEL_SERVER";
  readonly contentType: string;

  constructor(contentType: string) {
    super(`The server returned ${contentType}.`);
    this.contentType = contentType;
  }
}

/** Thrown if the server redirects requests, which contain the key and the conversation, to another address. */
export class Redirected extends Error {
  readonly code = "REDIRECTED";
  readonly status: number;
  /** The address without its password and query, or undefined if it is not a valid address. */
  readonly target: URL | undefined;

  constructor(status: number, target: URL | undefined) {
    super(`The server redirects to ${target?.host ?? "an invalid address"}.`);
    this.status = status;
    this.target = target;
  }
}

export interface ModelServer {
  /** The address without its user name and password. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
}

/**
 * Returns the address of a model server and the `fetch` for it. Redirects are errors and are never followed, not even
 * on the same host, because the request contains the key and the conversation, and the user chose the address. A web
 * page is an error too, because it would look like a broken stream. A user name and password in the address are sent as
 * a login unless the request has a key.
 */
export function modelServer(
  baseUrl: string,
  { environment, limits }: { readonly environment: Environment; readonly limits: HttpLimits },
): ModelServer {
  const send = httpFetch(environment, limits);
  const login = basicLogin(new URL(baseUrl));
  const ask = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    const isKeyShown = /^\S+\s+\S/.test(headers.get("authorization") ?? "");
    if (login !== undefined && !isKeyShown) headers.set("authorization", login);
    return onlyReplies(await send(input, { ...init, headers }), input);
  };
  return { baseUrl: shownAddress(baseUrl), fetch: ask as typeof fetch };
}

async function onlyReplies(response: Response, asked: string | URL | Request): Promise<Response> {
  const { status, headers, ok, body } = response;
  if (status >= 300 && status < 400) {
    await body?.cancel();
    throw new Redirected(status, targetOf(headers.get("location"), String(asked)));
  }
  const [contentType = ""] = (headers.get("content-type") ?? "").split(";");
  if (!ok || !NO_REPLY.test(contentType)) return response;
  await body?.cancel();
  throw new NoModelServer(contentType.trim());
}

function targetOf(location: string | null, asked: string): URL | undefined {
  if (location === null || location === "" || !URL.canParse(location, asked)) return undefined;
  const url = new URL(location, asked);
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  return isWeb ? new URL(url.origin + url.pathname) : undefined;
}
