/** The bug: independent calls share state. */
export const task = {
  name: "options",
  kind: "shared state",
  files: {
    "defaults.mjs": `export const defaults = { retries: 3, headers: { accept: "application/json" } };
`,
    "client.mjs": `import { defaults } from "./defaults.mjs";

export function requestFor(path, options = {}) {
  const request = Object.assign(defaults, options);
  if (options.token !== undefined) request.headers.authorization = \`Bearer \${options.token}\`;
  return { path, retries: request.retries, headers: request.headers };
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { requestFor } from "./client.mjs";

const secret = requestFor("/me", { token: "abc", retries: 1 });
assert.deepEqual(secret, {
  path: "/me",
  retries: 1,
  headers: { accept: "application/json", authorization: "Bearer abc" },
});
assert.deepEqual(requestFor("/news"), { path: "/news", retries: 3, headers: { accept: "application/json" } });
assert.equal(secret.headers.authorization, "Bearer abc");
`,
  },
  repair: [
    [
      "client.mjs",
      "Object.assign(defaults, options)",
      "{ ...defaults, ...options, headers: { ...defaults.headers, ...options.headers } }",
    ],
  ],
};
