import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { stage } from "../support/stage.ts";

const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });

/** The paths that the turn's end reported as changed. */
function reported(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "files" ? event.files.map(({ path }) => path) : []));
}

function allFiles(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

describe("a hand edit while a permission question is open", () => {
  it("is neither reported as the agent's nor taken back with it", async () => {
    const { agent, session, events, workspace, write } = await stage({
      responder: scripted(bash("echo tool > tool.txt"), { text: "done" }),
      mode: "manual",
      person: {
        allow: async () => {
          writeFileSync(join(workspace, "mine.txt"), "by hand");
          return { answer: "once" };
        },
      },
    });
    write("old.txt", "old");
    expect((await agent.prompt("go")).outcome).toBe("done");
    expect(reported(events)).toEqual(["tool.txt"]);
    await session.rewind({ to: 1, scope: "both" });
    expect(allFiles(workspace)).toEqual({ "old.txt": "old", "mine.txt": "by hand" });
  });
});
