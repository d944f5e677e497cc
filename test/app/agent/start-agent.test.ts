import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AgentRequest } from "../../../src/app/agent/agent-request.ts";
import { startAgent } from "../../../src/app/agent/start-agent.ts";
import { printPerson } from "../../../src/cli/commands/agent/print-person.ts";
import { openModelServer, scripted } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { frameOf } from "../../cli/support/frame-of.ts";
import { isLiving } from "../../living.ts";

const script = fileURLToPath(new URL("../../agent/mcp/stdio-server.mjs", import.meta.url));
/** Both servers record their process id in a file; `silent` never answers. */
const answering = {
  command: "/bin/sh",
  args: ["-c", `echo $$ > answering; exec "$0" "$1"`, process.execPath, script],
};
const silent = { command: "/bin/sh", args: ["-c", "echo $$ > silent; exec sleep 60"] };

const request: AgentRequest = {
  allow: [],
  deny: [],
  resume: { how: "continue" },
  fork: "no",
  host: "native",
  keepSession: "yes",
};

/** A session in a trusted workspace that connects to these servers when it is resumed. */
async function withServers(mcpServers: object) {
  const server = await openModelServer(scripted({ text: "Begun." }));
  onTestFinished(() => server.close());
  const place = playground();
  const environment = {
    ...server.environment("anthropic"),
    PATH: process.env["PATH"] ?? "",
    HOME: place.root,
  };
  await place.worldline(["-p", "begin here"], { environment });
  writeFileSync(join(place.workspace, ".mcp.json"), JSON.stringify({ mcpServers }));
  await place.worldline("config trust");
  let interrupt = (): void => undefined;
  const frame = frameOf(place, {
    environment,
    onInterrupt: (listener) => {
      interrupt = () => listener("SIGINT");
      return () => {
        interrupt = () => undefined;
      };
    },
  });
  const pidOf = (name: string) => Number(readFileSync(join(place.workspace, name), "utf8"));
  return {
    ...place,
    frame,
    pidOf,
    interrupt: () => interrupt(),
    isRunning: () => existsSync(join(place.workspace, "answering")),
    started: async (name: string) => {
      while (!existsSync(join(place.workspace, name)) || pidOf(name) === 0) await setTimeout(5);
      return pidOf(name);
    },
    /** Whether another program could write to the session now. */
    isFree: async () => (await place.worldline("checkpoint")).code === 0,
  };
}

const person = printPerson(() => undefined);

describe("starting an agent", () => {
  it("leaves no server running when a later step fails", async () => {
    const { frame, pidOf, isFree, isRunning } = await withServers({ answering });
    const failing = {
      ...request,
      // Read only after the servers have started.
      get maxSteps(): number | undefined {
        if (isRunning()) throw new Error("Not that many steps.");
        return undefined;
      },
    };
    await expect(startAgent(frame, { request: failing, person })).rejects.toThrow("Not that many steps.");
    expect(isLiving(pidOf("answering"))).toBe(false);
    expect(await isFree()).toBe(true);
  });

  it("is stopped by an interrupt while it connects, and ends those that were started", async () => {
    const { frame, started, interrupt, isFree } = await withServers({ answering, silent });
    const opening = startAgent(frame, { request, person }).catch((error: unknown) => error);
    const pids = [await started("answering"), await started("silent")];
    interrupt();
    expect(await opening).toMatchObject({
      code: "CANCELLED",
      message: "Canceled; nothing was sent to the model.",
    });
    expect(pids.map(isLiving)).toEqual([false, false]);
    expect(await isFree()).toBe(true);
  });
});
