/**
 * `import ... from "node:fs"` makes Node wrap all of the module for ES modules, and for that load what it would load on
 * demand, such as streams. A start of the command line has a dozen of these. Here they are asked for as they are.
 * @type {import("esbuild").Plugin}
 */
export const plainBuiltins = {
  name: "plain-builtins",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "builtin" }));
    build.onLoad({ filter: /^/, namespace: "builtin" }, ({ path }) => ({
      // Not the bare name: what is bundled beside it may declare one, as turndown does.
      contents: `module.exports = globalThis.process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};
