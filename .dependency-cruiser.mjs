/**
 * The arrows of docs/architecture.md. A folder may import itself and what its row names, nothing else;
 * a folder without a row may import nothing and be imported by nobody, so a new folder starts with a row.
 *
 * `folders`: other folders under src/. `doors`: files right in src/ that put parts together. `npm`: packages. `node`: whether `node:` modules are allowed.
 * demo/ stands beside src/ and has rules of its own: it may import all of src/ except the front ends, and only src/demonstrations.ts may import it.
 */
const rows = {
  strings: { folders: [], npm: [], node: false },
  // Of the strings, the errors: an error has its English words from the moment that it is made.
  record: { folders: ["strings"], npm: [], node: false },
  timeline: { folders: ["record"], npm: [], node: false },
  travel: { folders: ["record", "timeline"], npm: [], node: false },
  ports: { folders: ["record", "timeline"], npm: [], node: false },
  machine: {
    // Of the disk, the folders that are held while files outside the workspace are restored; of the strings, types.
    folders: ["record", "timeline", "travel", "ports", "disk", "strings"],
    npm: [],
    node: true,
  },
  // From here on, of the strings: the facts that errors are about.
  disk: { folders: ["record", "ports", "strings"], npm: [], node: true },
  stores: { folders: ["record", "timeline", "ports", "disk", "strings"], npm: ["libsql", "pg"], node: true },
  executions: {
    folders: ["record", "timeline", "travel", "ports", "machine"],
    npm: ["devalue"],
    node: true,
  },
  snapshots: {
    folders: ["record", "ports", "disk", "strings"],
    npm: ["ignore", "node-diff3", "@parcel/watcher"],
    node: true,
  },
  agent: {
    folders: ["record", "timeline", "travel", "ports", "machine", "disk"],
    npm: [
      "@ai-sdk",
      "@modelcontextprotocol",
      "@vscode/ripgrep",
      "diff",
      "jsonc-parser",
      "picomatch",
      "turndown",
      "web-tree-sitter",
      "zod",
    ],
    node: true,
  },
  finder: {
    folders: ["record", "timeline", "travel", "ports", "machine", "disk"],
    npm: ["diff"],
    node: true,
  },
  hosts: {
    folders: ["record", "timeline", "travel", "ports", "machine", "disk", "agent"],
    npm: ["zod"],
    node: true,
  },
  app: {
    // Of the strings, the types of problems: a use case has no language.
    folders: [
      "record",
      "timeline",
      "travel",
      "ports",
      "machine",
      "disk",
      "stores",
      "snapshots",
      "executions",
      "agent",
      "hosts",
      "finder",
      "strings",
    ],
    npm: ["jsonc-parser", "diff", "zod"],
    node: true,
    doors: ["open-files", "open-store", "open-execution"],
  },
  show: {
    folders: [
      "record",
      "timeline",
      "travel",
      "ports",
      "machine",
      "disk",
      "snapshots",
      "executions",
      "finder",
      "strings",
      "app",
    ],
    npm: ["diff"],
    node: true,
  },
  tui: {
    folders: ["record", "timeline", "ports", "strings", "app", "show"],
    npm: ["@earendil-works/pi-tui", "highlight.js", "fzf", "diff"],
    node: true,
    doors: ["version"],
  },
  testing: {
    folders: ["record", "timeline", "ports", "disk", "stores", "snapshots", "executions"],
    // Not even a test runner: it runs under the caller's.
    npm: [],
    node: true,
  },
  cli: {
    // Of those that "cli-only-knows-types" names, the types of data that use cases return.
    folders: [
      "record",
      "timeline",
      "travel",
      "ports",
      "machine",
      "disk",
      "stores",
      "snapshots",
      "agent",
      "executions",
      "finder",
      "strings",
      "app",
      "show",
    ],
    npm: ["commander"],
    node: true,
    doors: ["demonstrations", "version"],
  },
};

const known = Object.keys(rows).join("|");

/** @param {readonly string[]} packages */
function pathsOf(packages) {
  return packages.map((each) => `node_modules/${each}/`).join("|");
}

/** @param {string} name @param {{ folders: string[], npm: string[], node: boolean, doors?: string[] }} row */
function rulesOf(name, row) {
  const from = { path: `^src/${name}/` };
  const rules = [
    {
      name: `${name}-imports-only-${row.folders.join("-") || "itself"}`,
      severity: "error",
      from,
      to: {
        path: "^src/",
        pathNot: `^src/((${[name, ...row.folders].join("|")})/|(${(row.doors ?? ["-"]).join("|")})[.]ts$)`,
      },
    },
  ];
  const allowed = pathsOf(row.npm);
  const to = { path: "node_modules/", ...(allowed === "" ? {} : { pathNot: allowed }) };
  rules.push({ name: `${name}-npm-${row.npm.join("-") || "nothing"}`, severity: "error", from, to });
  if (!row.node) {
    rules.push({ name: `${name}-no-node`, severity: "error", from, to: { dependencyTypes: ["core"] } });
  }
  return rules;
}

export default {
  forbidden: [
    ...Object.entries(rows).flatMap(([name, row]) => rulesOf(name, row)),
    {
      name: "door-does-not-lead-to-cli",
      comment: "These are the library; who imports it must not get the command line.",
      severity: "error",
      from: { path: "^src/(index|open-agent|open-session|open-files|open-store|open-execution)[.]ts$" },
      to: { path: "^src/(cli/|tui/|main[.]ts$|demonstrations[.]ts$)" },
    },
    {
      name: "library-loads-the-agent-on-demand",
      comment: "The agent and the use cases are more code than the rest of the library.",
      severity: "error",
      from: { path: "^src/(index|open-session|open-files|open-store|open-execution)[.]ts$" },
      to: {
        path: "^src/(open-agent[.]ts$|(agent|hosts|finder|app|show)/)",
        dependencyTypesNot: ["dynamic-import", "type-only"],
      },
    },
    {
      name: "only-main-loads-front-ends",
      comment: "Front ends are thin adapters over app/ that know nothing of each other.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(main[.]ts$|cli/|tui/)" },
      to: { path: "^src/(cli|tui)/" },
    },
    {
      name: "main-loads-front-ends-lazily",
      comment: "So that a start loads only the front end that it needs.",
      severity: "error",
      from: { path: "^src/main[.]ts$" },
      // open-files-limit.ts must run before anything else is loaded, and imports next to nothing.
      to: {
        path: "^src/(cli|tui)/",
        pathNot: "^src/cli/open-files-limit[.]ts$",
        dependencyTypesNot: ["dynamic-import"],
      },
    },
    {
      name: "app-has-no-language",
      comment: "A use case returns codes with parameters; a front end renders them.",
      severity: "error",
      from: { path: "^src/app/" },
      // clock.ts has no language; of errors/settings.ts, the names of the problems that the JSON parser reports.
      to: {
        path: "^src/strings/",
        pathNot: "^src/strings/(clock|en/errors/settings)[.]ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "cli-only-knows-types",
      comment: "What a command does is a use case in app/. The command parses options, asks, and prints.",
      severity: "error",
      from: { path: "^src/cli/" },
      // Functions without a session: the clock, the system's limit of open files, and the parsers of options.
      to: {
        path: "^src/(travel|machine|disk|stores|snapshots|agent|executions|finder)/",
        pathNot:
          "^src/(disk/(system-clock|open-files-limit)|stores/store-address|agent/permissions/rules)[.]ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "machine-has-no-language",
      comment: "Its one readable export takes the texts from its caller.",
      severity: "error",
      from: { path: "^src/machine/" },
      to: { path: "^src/strings/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "folder-has-a-row",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: `^src/((${known})/|(index|open-agent|open-session|open-files|open-store|open-execution|demonstrations|version|main)[.]ts$)`,
      },
      to: {},
    },
    {
      name: "src-stays-in-src",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|scripts|bench|docs|dist|examples)/" },
    },
    {
      name: "only-demonstrations-imports-demo",
      comment: "Everything in src/ is whole without the demonstrations; one file says where they are.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/demonstrations[.]ts$" },
      to: { path: "^demo/" },
    },
    {
      name: "demonstrations-imports-only-demo",
      severity: "error",
      from: { path: "^src/demonstrations[.]ts$" },
      to: { pathNot: "^demo/" },
    },
    {
      name: "demo-imports-only-src",
      severity: "error",
      from: { path: "^demo/" },
      to: { pathNot: "^(demo|src)/", dependencyTypesNot: ["core"] },
    },
    {
      name: "demo-imports-no-front-end",
      comment: "The command line runs the demonstrations, so they return data and text to it.",
      severity: "error",
      from: { path: "^demo/" },
      to: { path: "^src/((cli|tui)/|(index|demonstrations|main)[.]ts$)" },
    },
    {
      name: "no-development-packages",
      comment:
        "What a row names is bundled, or installed with Worldline (the build compares that with package.json). The rest are tools, and would be bundled without anybody meaning it.",
      severity: "error",
      from: { path: "^(src|demo)/" },
      // pg is both: of this project's tests, and an optional peer of whoever wants that store.
      to: {
        dependencyTypes: ["npm-dev"],
        dependencyTypesNot: ["npm", "npm-peer"],
        pathNot: pathsOf(Object.values(rows).flatMap((row) => row.npm)),
      },
    },
    {
      name: "resolvable",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    // Also the imports that vanish when compiled: an arrow is an arrow, types included.
    tsPreCompilationDeps: true,
    // As Node resolves for ES modules; without it, packages without a CommonJS door are not found.
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
