/**
 * `import ... from "node:fs"` makes Node wrap the whole module for ES modules, which loads everything that the module
 * would otherwise load on demand, such as streams. The command line imports a dozen such modules when it starts. This
 * plugin loads them without the wrapper.
 * @type {import("esbuild").Plugin}
 */
export const plainBuiltins = {
  name: "plain-builtins",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "builtin" }));
    build.onLoad({ filter: /^/, namespace: "builtin" }, ({ path }) => ({
      // Uses `globalThis.process` instead of `process`, because other bundled code, such as turndown, may
      // declare that name.
      contents: `module.exports = globalThis.process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};
