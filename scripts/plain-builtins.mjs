/**
 * `import ... from "node:fs"` makes Node wrap the whole module for ES modules, and so load everything that the module
 * would load on demand, such as streams. The command line imports a dozen of these when it starts. This plugin loads
 * them without the wrapper.
 * @type {import("esbuild").Plugin}
 */
export const plainBuiltins = {
  name: "plain-builtins",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "builtin" }));
    build.onLoad({ filter: /^/, namespace: "builtin" }, ({ path }) => ({
      // `globalThis.process` rather than `process`, because other bundled code may declare that name, as
      // turndown does.
      contents: `module.exports = globalThis.process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};
