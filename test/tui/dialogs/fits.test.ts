import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foreignText, WorldlineError } from "../../../src/record/error.ts";
import { en } from "../../../src/strings/en.ts";
import type { Strings } from "../../../src/strings/strings.ts";
import { planDialog, questionDialog } from "../../../src/tui/dialogs/agent-questions.ts";
import { checkpointList } from "../../../src/tui/dialogs/checkpoint-list.ts";
import type { Dialog } from "../../../src/tui/dialogs/dialog.ts";
import { textQuestion } from "../../../src/tui/dialogs/list.ts";
import { drawDiff, drawPlain, pager } from "../../../src/tui/dialogs/pager.ts";
import { permissionDialog } from "../../../src/tui/dialogs/permission.ts";
import { previewDialog } from "../../../src/tui/dialogs/preview.ts";
import { treeList } from "../../../src/tui/dialogs/tree-list.ts";
import { afterCrash } from "../../../src/tui/flows/after-crash.ts";
import { modelPicker } from "../../../src/tui/flows/connect.ts";
import { trustQuestion } from "../../../src/tui/flows/opening.ts";
import { redoList, scopeMenu } from "../../../src/tui/flows/rewind.ts";
import { languageMenu, settingsList } from "../../../src/tui/flows/settings.ts";
import { play, roomOf, zh } from "./played.ts";
import { CHECKPOINTS, PREVIEW, TREE } from "./rows.ts";

const KEYS = [
  ..."0123456789/dfgklmnqrstyTJ ",
  ...[
    "up",
    "down",
    "left",
    "right",
    "home",
    "end",
    "pageUp",
    "pageDown",
    "enter",
    "escape",
    "space",
    "backspace",
  ],
  ...["delete", "ctrl+u", "ctrl+w", "ctrl+e", "wheel-up", "wheel-down", "'世界'", "'👨‍👩‍👧'"],
];

const LONG =
  "a text with 世界 in it that is much longer than any line of a narrow terminal, and\ta tab, and 👨‍👩‍👧";

/** Every dialog with texts that are long, wide, or contain control sequences. */
function everyDialog(strings: Strings): Readonly<Record<string, Dialog<never, unknown>>> {
  const dialogs = {
    checkpoints: checkpointList(strings, { rows: CHECKPOINTS, changedSince: async () => 1, title: LONG }),
    preview: previewDialog(strings, { title: LONG, preview: PREVIEW, running: [LONG, "\u001b[2J"] }),
    scope: scopeMenu(
      strings,
      {
        scopes: ["both", "conversation", "files"],
        without: new WorldlineError("stated", { code: "REWIND_REFUSED", message: LONG }),
      },
      LONG,
    ),
    tree: treeList(strings, TREE),
    redo: redoList(strings, []),
    permission: permissionDialog(strings, {
      call: "c",
      tool: LONG,
      input: {},
      about: LONG,
      reason: { code: "outside-workspace", path: LONG },
      why: LONG,
      diff: `-${LONG}\n+${LONG}`,
      rule: LONG,
      help: "mode",
    }),
    plan: planDialog(strings, LONG.repeat(9), drawPlain),
    question: questionDialog(
      strings,
      { question: LONG, header: LONG, several: "any", options: [{ label: LONG, description: LONG }] },
      { index: 0, of: 2 },
    ),
    crash: afterCrash(
      strings,
      { step: 4, openCalls: [{ call: "c1", name: LONG, about: LONG }], before: 12 },
      "ready",
    ),
    models: modelPicker(strings, [{ name: LONG, state: "no-key", isCurrent: true }]),
    settings: settingsList(strings, [
      {
        key: LONG as never,
        value: LONG,
        source: { layer: "environment", variable: LONG } as const,
      },
    ]),
    trust: trustQuestion(strings, { folder: LONG, what: [foreignText(LONG), foreignText(LONG)] }),
    language: languageMenu(strings),
    pager: pager({ title: LONG, draw: (width, look) => drawDiff(LONG, width, look), keys: LONG }),
    text: textQuestion({ title: LONG, about: [LONG], text: LONG, keys: LONG }),
  };
  return dialogs as unknown as Record<string, Dialog<never, unknown>>;
}

describe("every dialog", () => {
  for (const name of Object.keys(everyDialog(en))) {
    it(`law: fits its room, whatever is pressed: ${name}`, () => {
      const arbitrary = {
        keys: fc.array(fc.constantFrom(...KEYS), { maxLength: 12 }),
        width: fc.integer({ min: 40, max: 90 }),
        rows: fc.integer({ min: 1, max: 24 }),
        strings: fc.constantFrom(en, zh),
      };
      fc.assert(
        fc.property(fc.record(arbitrary), ({ keys, width, rows, strings }) => {
          const dialog = everyDialog(strings)[name];
          if (dialog !== undefined) play(dialog, keys, roomOf(width, rows, strings));
        }),
        { numRuns: 60 },
      );
    });
  }

  it("law: has its chosen row in sight, in a room of any size", () => {
    const names = [
      "checkpoints",
      "preview",
      "scope",
      "tree",
      "crash",
      "models",
      "settings",
      "trust",
      "language",
    ];
    const moves = ["up", "down", "home", "end", "pageUp", "pageDown", "right"];
    const arbitrary = {
      name: fc.constantFrom(...names),
      keys: fc.array(fc.constantFrom(...moves), { maxLength: 8 }),
      rows: fc.integer({ min: 1, max: 24 }),
    };
    fc.assert(
      fc.property(fc.record(arbitrary), ({ name, keys, rows }) => {
        const dialog = everyDialog(en)[name];
        const played = dialog === undefined ? undefined : play(dialog, keys, roomOf(40, rows));
        if (played?.outcome === "open") expect(played.lines.join("\n")).toMatch(/^> /mu);
      }),
    );
  });
});
