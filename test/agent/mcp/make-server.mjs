import { spawn } from "node:child_process";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** A server with one tool for each kind of tool behavior, including the broken ones. */
export function makeServer() {
  const server = new McpServer({ name: "sample", version: "1.0.0" });
  const text = (/** @type {string} */ said) => ({
    content: [{ type: /** @type {const} */ ("text"), text: said }],
  });
  const dot =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  server.registerTool(
    "say",
    {
      description: "Says it.",
      inputSchema: z.object({ word: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async ({ word }) => text(`You said ${word}`),
  );
  server.registerTool("strange.name", { description: "Draws." }, async () => ({
    content: [
      { type: "text", text: "A dot:" },
      { type: "image", mimeType: "image/png", data: dot },
    ],
  }));
  server.registerTool("draw", { inputSchema: z.object({ data: z.string() }) }, async ({ data }) => ({
    content: [{ type: "image", mimeType: "image/png", data }],
  }));
  server.registerTool("refuse", {}, async () => ({ ...text("No."), isError: true }));
  server.registerTool("variable", { inputSchema: z.object({ name: z.string() }) }, async ({ name }) =>
    text(process.env[name] ?? "not set"),
  );
  server.registerTool("wait", {}, async () => new Promise(() => {}));
  server.registerTool("die", {}, async () => process.exit(3));
  server.registerTool("child", {}, async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    return text(String(child.pid));
  });
  return server;
}
