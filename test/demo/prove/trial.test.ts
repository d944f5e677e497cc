import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Damage } from "../../../demo/prove/damages.ts";
import { seeded, Targets } from "../../../demo/prove/targets.ts";
import { isOff, type Trial, tryDamage } from "../../../demo/prove/trial.ts";
import { type HeldSession, openSessionOn, openStage } from "../../../demo/stage.ts";
import { Surveyor } from "../../../demo/survey.ts";
import type { Session } from "../../../src/machine/session.ts";

const overwritten: Damage = { name: "overwritten", on: ["file"], script: `printf 'x' > "$1"` };

/** Tries a kind of damage on a workspace of one file, with a session that `change` may have weakened. */
async function tried(
  damage: Damage,
  change: (session: Session) => Session = (session) => session,
): Promise<Trial> {
  const stage = openStage("prove");
  try {
    writeFileSync(join(stage.workspace, "a.txt"), "a file of some length\n");
    const surveyor = new Surveyor(stage.workspace);
    const base = await surveyor.survey();
    const real = await openSessionOn(stage);
    const held: HeldSession = { ...real, session: change(real.session) };
    const targets = new Targets({ survey: base, leftOut: [], sample: "" }, seeded(1));
    const context = { stage, held, surveyor, targets, sample: "" };
    const trial = await tryDamage(context, damage, { base, between: "nothing" });
    await real.close();
    return trial;
  } finally {
    stage.remove();
  }
}

/** Weakens the session: one kind of journey restores no files. */
function without(journey: "rewind" | "redo"): (session: Session) => Session {
  return (session) =>
    new Proxy(session, {
      get(target, key) {
        if (key === journey) return async () => ({ journey: "none", files: { paths: [] } });
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
}

describe("a trial", () => {
  it("is well when everything came back, and went again", async () => {
    const trial = await tried(overwritten);
    expect(trial).toEqual({
      damage: "overwritten",
      targets: ["a.txt"],
      paths: 1,
      unrestored: [],
      unredone: [],
      unclean: [],
      stayed: [],
    });
    expect(isOff(trial)).toBe(false);
  });

  it("is off when a redo did not bring the damage back", async () => {
    const trial = await tried(overwritten, without("redo"));
    expect([isOff(trial), trial.unredone.map(({ path }) => path)]).toEqual([true, ["a.txt"]]);
  });

  it("is off when something was not restored", async () => {
    const trial = await tried(overwritten, (session) => without("redo")(without("rewind")(session)));
    expect([isOff(trial), trial.unrestored.map(({ path }) => path)]).toEqual([true, ["a.txt"]]);
  });

  it("is off when the damage could not be done, and what was done of it is restored", async () => {
    const trial = await tried({ ...overwritten, script: `printf 'x' > "$1"; echo broken >&2; exit 3` });
    expect(trial).toMatchObject({ paths: 1, unrestored: [], failure: "broken (exit code 3)" });
    expect(isOff(trial)).toBe(true);
  });
});
