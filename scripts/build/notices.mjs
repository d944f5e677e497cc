import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Licenses whose only condition for redistribution is that their text is included. */
const ALLOWED = new Set(["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"]);

const LICENSE_FILE = /^(licen[cs]e|copying)([.-]|$)/i;
const NOTICE_FILE = /^notice([.-]|$)/i;

const HEADING = `Worldline contains code of the packages below, each under the license that follows its name.
`;

/**
 * Lists the packages that bundled files come from, without duplicates.
 * @param {readonly string[]} inputs Paths, in the form of esbuild's metafile.
 * @returns {readonly string[]} Their folders.
 */
function packageFolders(inputs) {
  const folders = inputs.flatMap(
    (input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? [],
  );
  return [...new Set(folders)].sort();
}

/**
 * @param {string} folder
 * @param {RegExp} name
 */
function textsIn(folder, name) {
  return readdirSync(folder)
    .filter((each) => name.test(each))
    .map((each) => readFileSync(join(folder, each), "utf8").trim());
}

/**
 * @param {string} folder
 * @param {string} texts The folder with license texts for packages that do not include one.
 */
function noticeOf(folder, texts) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const title = `${name} ${version}`;
  const given = join(texts, `${name.replace("@", "").replaceAll("/", "-")}.txt`);
  const own = textsIn(folder, LICENSE_FILE);
  const found = own.length === 0 && existsSync(given) ? [readFileSync(given, "utf8").trim()] : own;
  const faults = [
    ...(ALLOWED.has(license)
      ? []
      : [`${title}: its license is not one of ${[...ALLOWED].join(", ")}: ${license}`]),
    ...(found.length > 0 ? [] : [`${title}: it has no license text; put one into ${given}`]),
  ];
  const text = [`${title} (${license})`, ...found, ...textsIn(folder, NOTICE_FILE)].join("\n\n");
  return { faults, text };
}

/**
 * Returns the notices for bundled code. Throws if a license is unknown or has no text.
 * @param {readonly string[]} inputs Paths of bundled files, in the form of esbuild's metafile.
 * @param {{ root: string, texts: string }} where The base of the paths, and the folder with license texts for packages
 * that do not include one.
 */
export function noticesFor(inputs, { root, texts }) {
  const notices = packageFolders(inputs).map((folder) => noticeOf(join(root, folder), texts));
  const faults = notices.flatMap((each) => each.faults);
  if (faults.length > 0)
    throw new Error(`These bundled packages cannot be redistributed:\n${faults.join("\n")}`);
  const rule = `\n${"-".repeat(80)}\n\n`;
  return [HEADING, ...notices.map(({ text }) => `${text}\n`)].join(rule);
}
