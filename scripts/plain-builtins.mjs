/**
 * `import ... from "node:fs"` makes Node wrap the whole module for ES modules, and for that load everything that it would load on
 * demand, such as streams. The command line's start has a dozen of these. Here they are loaded as they are.
 * @type {import("esbuild").Plugin}
 */
export const plainBuiltins = {
  name: "plain-builtins",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "builtin" }));
    build.onLoad({ filter: /^/, namespace: "builtin" }, ({ path }) => ({
      // Not the bare name: other bundled code may declare it, as turndown does.
      contents: `module.exports = globalThis.process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};
