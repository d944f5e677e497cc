import { pathToFileURL } from "node:url";

const peer = (file) => new URL(`peers/${file}`, import.meta.url).href;

/** The peers' drivers by path, because each measurement imports its driver in a separate process. */
const peers = [peer("pi-newest.mjs"), peer("pi-node20.mjs"), peer("kimi-rewrite.mjs")];

const langGraphDriver = peer("langgraph-sqlite.mjs");

/** WORLDLINE_BENCH_DRIVER names another driver file, to compare a change with the build. */
function ownDriver() {
  const other = process.env.WORLDLINE_BENCH_DRIVER;
  return other === undefined ? peer("worldline.mjs") : pathToFileURL(other).href;
}

/** Our driver first, then the peers'. If a driver cannot be imported, prints what to do and exits. */
export async function contenders() {
  return named([ownDriver(), ...peers]);
}

/**
 * Our drivers for the other stores; Postgres only if there is a server.
 * @param {"there" | "absent"} postgres
 */
export function stores(postgres) {
  return named([
    peer("worldline-sqlite.mjs"),
    ...(postgres === "there" ? [peer("worldline-postgres.mjs")] : []),
  ]);
}

/** LangGraph stores the whole list of messages with each message, so it only runs on a short session. */
export async function langGraph() {
  return (await named([langGraphDriver]))[0];
}

async function named(all) {
  try {
    return await Promise.all(all.map(async (url) => ({ url, name: (await driverAt(url)).name })));
  } catch (error) {
    // Nothing can be measured, and a stack trace would only hide what to do.
    console.error(`${error.message}\n(${error.cause.message})`);
    process.exit(1);
  }
}

/** @param {string} url */
export async function driverAt(url) {
  try {
    return (await import(url)).driver;
  } catch (cause) {
    throw new Error(`Cannot import ${shortName(url)}. ${remedy(url)}`, { cause });
  }
}

const remedy = (url) =>
  [...peers, langGraphDriver].includes(url)
    ? "Run `npm ci` in bench/ first."
    : "Run `npm run build` in the project first: the benchmark measures dist/.";

const shortName = (url) => url.split("/").slice(-2).join("/");
