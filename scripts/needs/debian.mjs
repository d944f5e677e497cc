import { readFileSync, writeFileSync } from "node:fs";
import { run } from "../run-command.mjs";

/** @typedef {import("../needs.mjs").Source} Source */

/**
 * The configuration file that tells Debian's package whether to create the cluster "main", which would keep
 * running.
 */
const CLUSTERS = "/etc/postgresql-common/createcluster.conf";

/** @param {string} command */
export async function isOnPath(command) {
  const { code } = await run("sh", ["-c", `command -v ${command}`], { show: "collect" });
  return code === 0;
}

/** Returns why this script does not install anything. Installing is clearly allowed only for root on Debian. */
async function hindrance() {
  const isAllowed = process.getuid?.() === 0 && (await isOnPath("apt-get"));
  return isAllowed ? undefined : "that takes root on Debian";
}

/** @param {string[]} packages */
async function aptGet(...packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const get = async (/** @type {string[]} */ ...words) => (await run("apt-get", words, { env })).code === 0;
  const installing = ["install", "-y", "--no-install-recommends", ...packages];
  // Without package lists, apt does not know any packages, so update the lists and retry.
  return (await get(...installing)) || ((await get("update")) && (await get(...installing)));
}

/** @param {string} name @returns {Source} */
export function debianPackage(name) {
  return {
    place: `to install it, use the package ${name}`,
    installing: `apt-get install ${name}`,
    hindrance,
    install: async () => aptGet(name),
  };
}

/** @type {Source} */
export const postgresPackage = {
  ...debianPackage("postgresql"),
  installing: "apt-get install postgresql, without its default cluster: no server is set up or started",
  install: installWithoutCluster,
};

/**
 * First installs the package that owns the setting, and turns the setting off while the server is installed;
 * restores it afterward.
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
