import { describe, expect, it } from "vitest";
import { recapOnResume, resumedRecap } from "../../../src/app/queries/recap.ts";
import type { AgentSession } from "../../../src/app/sessions/agent-session.ts";
import { recapOf } from "../../../src/machine/queries/recap.ts";
import type { Session } from "../../../src/machine/session.ts";
import { begin, openSessionDeps, step } from "../../machine/deps.ts";
import { openWorkshop, turn } from "../journeys/open-workshop.ts";
import { runCommand } from "./long-session.ts";

const opened = (session: Session, resumed: AgentSession["resumed"] = "resumed") =>
  ({ session, resumed, workspaceFiles: { state: "off" } }) as unknown as AgentSession;

describe("the recap of a reopened session", () => {
  it("is what is known from its log; a new session has none", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("one");
    await step(session, "Done.");
    expect(await recapOnResume(opened(session))).toEqual(await recapOf(session));
    expect(await recapOnResume(opened(session, "forked"))).toEqual(await recapOf(session));
    expect(await recapOnResume(opened(session, "new"))).toBeUndefined();
    expect(await resumedRecap(opened(session))).toStrictEqual({
      ...{ session: session.id, recap: await recapOf(session) },
    });
  });

  it("is there after a prompt and a command", async () => {
    const session = await begin(openSessionDeps());
    expect(await resumedRecap(opened(session))).toBeUndefined();
    await session.prompt("one");
    await runCommand(session, "npm test");
    const recap = await resumedRecap(opened(session));
    expect([recap?.session, recap?.recap.done.files]).toEqual([session.id, []]);
  });

  it("lists each file once: those of the agent, and those of the last three commands", async () => {
    const { session, looking, put } = await openWorkshop();
    const command = async (path: string) => {
      const checkpoint = await session().checkpoint();
      await session().toolStart(`shell-${checkpoint}`, "Shell", { input: { command: `touch ${path}` } });
      put(path, `${checkpoint}\n`);
      await session().toolEnd(`shell-${checkpoint}`, "ok", "");
      await session().checkpoint(undefined, { author: "timeline" });
    };
    await turn(session(), "one", () => put("agent.txt", "1\n"));
    for (const path of ["old.txt", "a.txt", "agent.txt", "b.txt"]) await command(path);
    const recap = await looking.recap();
    expect(recap?.recap.done.files).toEqual(["a.txt", "agent.txt", "b.txt"]);
  });
});
