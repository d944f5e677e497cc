import { describe, expect, it } from "vitest";
import { presentAuthor } from "../../../src/machine/files/look.ts";
import type { Session } from "../../../src/machine/session.ts";
import { beginWithFiles, promptWith, type World } from "./workspace.ts";

/** Two concurrent commands; the first one ended and was captured while the second was still running. */
async function oneOfTwoEnded(): Promise<World & { readonly to: number }> {
  const world = await beginWithFiles();
  const { session, files } = world;
  const to = await promptWith(session, "go");
  await session.capture({ checkpoint: await session.step(), author: "timeline" });
  const parts = ["first", "second"].map(
    (call) => ({ type: "tool-call", call, name: "Bash", input: { command: call } }) as const,
  );
  await session.reply({ model: "m", parts });
  for (const { call } of parts) await session.toolStart(call, "Bash");
  files.write("done", "first");
  await session.toolEnd("first", "ok", "done");
  await captured(session, "first", "second");
  return { ...world, to };
}

async function captured(session: Session, ...calls: readonly string[]): Promise<void> {
  const during = calls.map((call) => ({ call, about: call }));
  await session.observe({ look: "everything", ran: () => ({ author: "timeline", during }) });
}

describe("a command that runs on when another has ended and was captured", () => {
  it("is whose the files are that changed since, where a crash cut it off", async () => {
    const { session, files, to } = await oneOfTwoEnded();
    files.write("done", "first and second");
    files.write("more", "second");
    expect(await presentAuthor(session, {})).toBe("timeline");
    const { conflicts, steps, during } = await session.previewFiles({ to });
    expect([conflicts, steps.map(({ path }) => path).sort()]).toEqual([[], ["done", "more"]]);
    const more = during.find(({ path }) => path === "more");
    expect(more?.calls.map(({ call }) => call)).toEqual(["second"]);
  });

  it("is not, when it has ended and was captured: then others change files", async () => {
    const { session, files, to } = await oneOfTwoEnded();
    files.write("done", "first and second");
    await session.toolEnd("second", "ok", "done");
    await captured(session, "second");
    files.write("theirs", "by hand");
    expect(await presentAuthor(session, {})).toBe("outside");
    expect((await session.previewFiles({ to })).conflicts.map(({ path }) => path)).toEqual(["theirs"]);
  });

  it("is not, when the turn was cut and the files were captured since", async () => {
    const { session, files } = await oneOfTwoEnded();
    await session.interrupt();
    expect(await presentAuthor(session, {})).toBe("timeline");
    files.write("done", "first and second");
    await promptWith(session, "on");
    expect(await presentAuthor(session, {})).toBe("outside");
  });
});
