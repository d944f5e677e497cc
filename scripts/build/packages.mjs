import { isBuiltin } from "node:module";

/**
 * @typedef {{ dependencies: Record<string, string>, peerDependencies: Record<string, string> }} Declared The
 * dependencies in package.json.
 */

/** @param {string} specifier */
function packageOf(specifier) {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/**
 * Compares the packages that built code imports at run time with the packages that npm installs according to
 * package.json.
 * @param {import("esbuild").Metafile} metafile
 * @param {Declared} declared
 * @returns {readonly string[]} The problems found.
 */
export function undeclaredIn({ outputs }, { dependencies, peerDependencies }) {
  const imported = importedBy(outputs);
  return [...imported]
    .filter((name) => !(name in dependencies) && !(name in peerDependencies))
    .map(
      (name) =>
        `${name} is imported when Worldline runs, but package.json has it neither in dependencies nor in peerDependencies`,
    );
}

/**
 * Returns the declared dependencies that no built code imports.
 * @param {readonly import("esbuild").Metafile[]} metafiles
 * @param {Declared} declared
 */
export function unusedIn(metafiles, { dependencies }) {
  const imported = new Set(metafiles.flatMap(({ outputs }) => [...importedBy(outputs)]));
  return Object.keys(dependencies)
    .filter((name) => !imported.has(name))
    .map(
      (name) =>
        `${name} is in dependencies, but nothing imports it when Worldline runs: what is bundled belongs to devDependencies`,
    );
}

/** @param {import("esbuild").Metafile["outputs"]} outputs */
function importedBy(outputs) {
  const specifiers = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  );
  return new Set(specifiers.filter((each) => !isBuiltin(each)).map(packageOf));
}
