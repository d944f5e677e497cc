/**
 * The bug: the code is right, but one of four settings files is wrong, and not the one that a reader would
 * open first.
 */
export const task = {
  name: "layers",
  kind: "configuration",
  files: {
    "config/base.json": `{ "server": { "port": 8080, "host": "localhost" }, "limits": { "uploadMb": 20 } }\n`,
    "config/region.json": `{ "server": { "host": "eu.example" }, "limit": { "uploadMb": 50 } }\n`,
    "config/team.json": `{ "features": { "search": true } }\n`,
    "config/local.json": `{ "server": { "port": 9090 } }\n`,
    "config.mjs": `import { readFileSync } from "node:fs";

const layers = ["base", "region", "team", "local"];

/** A later layer wins, key by key. The region decides how large an upload may be. */
export function load() {
  return layers
    .map((name) => JSON.parse(readFileSync(new URL(\`config/\${name}.json\`, import.meta.url), "utf8")))
    .reduce(merge, {});
}

function merge(below, above) {
  if (below === null || above === null || typeof below !== "object" || typeof above !== "object") return above;
  const merged = { ...below };
  for (const [key, value] of Object.entries(above)) merged[key] = key in below ? merge(below[key], value) : value;
  return merged;
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { load } from "./config.mjs";

assert.deepEqual(load(), {
  server: { port: 9090, host: "eu.example" },
  limits: { uploadMb: 50 },
  features: { search: true },
});
`,
  },
  repair: [["config/region.json", '"limit":', '"limits":']],
};
