import { readFileSync, writeFileSync } from "node:fs";
import { run } from "../run-command.mjs";

/** @typedef {import("../needs.mjs").Source} Source */

/** The file in which Debian configures whether its package creates a cluster "main", which would run from then on. */
const CLUSTERS = "/etc/postgresql-common/createcluster.conf";

/** @param {string} command */
export async function isOnPath(command) {
  const { code } = await run("sh", ["-c", `command -v ${command}`], { show: "collect" });
  return code === 0;
}

/** Why nothing is installed from here. Installing is clearly allowed only as root on Debian. */
async function hindrance() {
  const isAllowed = process.getuid?.() === 0 && (await isOnPath("apt-get"));
  return isAllowed ? undefined : "that takes root on Debian";
}

/** @param {string[]} packages */
async function aptGet(...packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const get = async (/** @type {string[]} */ ...words) => (await run("apt-get", words, { env })).code === 0;
  const installing = ["install", "-y", "--no-install-recommends", ...packages];
  // A machine that has never updated its package lists knows no packages.
  return (await get(...installing)) || ((await get("update")) && (await get(...installing)));
}

/** @param {string} name @returns {Source} */
export function debianPackage(name) {
  return {
    place: `the package is ${name}`,
    installing: `apt-get install ${name}`,
    hindrance,
    install: async () => aptGet(name),
  };
}

/** @type {Source} */
export const postgresPackage = {
  ...debianPackage("postgresql"),
  installing: "apt-get install postgresql, without its cluster: no server is set up and none is started",
  install: installWithoutCluster,
};

/**
 * Installs the package that has the setting first; then the setting is off while the server is installed, and
 * restored afterwards.
 */
async function installWithoutCluster() {
  if (!(await aptGet("postgresql-common"))) return false;
  const before = readFileSync(CLUSTERS);
  writeFileSync(CLUSTERS, `${before}\ncreate_main_cluster = false\n`);
  try {
    return await aptGet("postgresql");
  } finally {
    writeFileSync(CLUSTERS, before);
  }
}
