import { setTimeout as delay } from "node:timers/promises";
import { steady } from "./steady.mjs";

/** @typedef {import("../../test/e2e/terminal/support/pty.ts").Pty} Pty */
/** @typedef {import("./svg.mjs").Shot} Shot */
/** @typedef {import("./scenes.mjs").Step} Step */

/** How many characters are typed between two frames, and how long that takes. */
const typing = { characters: 3, seconds: 0.15 };
const glance = 0.4;
/** A permission question ignores keys for a moment after it appears. */
const quietMs = 450;

/**
 * Plays the steps of a scene.
 * @param {Pty} terminal
 * @param {readonly Step[]} steps
 * @returns {Promise<{ pictures: Map<string, Shot>, frames: (Shot & { seconds: number })[] }>} The pictures by name, and
 * the   frames of a recording.
 */
export async function play(terminal, steps) {
  /** @type {Map<string, Shot>} */
  const pictures = new Map();
  /** @type {(Shot & { seconds: number })[]} */
  const frames = [];
  const show = (/** @type {number} */ seconds) => frames.push({ ...shotOf(terminal), seconds });
  for (const step of steps) {
    if ("wait" in step) await terminal.waitFor(step.wait);
    else if ("type" in step) await typeSlowly(terminal, step.type, show);
    else if ("press" in step) {
      terminal.press(...step.press);
      await terminal.settled();
      show(glance);
    } else if ("hold" in step) {
      await terminal.settled();
      show(step.hold);
      await delay(quietMs);
    } else {
      await terminal.settled();
      pictures.set(step.picture, shotOf(terminal));
    }
  }
  return { pictures, frames };
}

/** @param {Pty} terminal @param {string} text @param {(seconds: number) => void} show */
async function typeSlowly(terminal, text, show) {
  const letters = [...text];
  for (let at = 0; at < letters.length; at += typing.characters) {
    terminal.type(letters.slice(at, at + typing.characters).join(""));
    await terminal.settled();
    show(typing.seconds);
  }
}

/**
 * @param {Pty} terminal
 * @returns {Shot}
 */
function shotOf(terminal) {
  const lines = terminal.painted().map((runs) => runs.map(steady));
  return terminal.modes().cursor === "shown" ? { lines, cursor: terminal.cursor() } : { lines };
}
