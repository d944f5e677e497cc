import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { loadHarness } from "./pictures/harness.mjs";
import { play } from "./pictures/play.mjs";
import { scenes } from "./pictures/scenes.mjs";
import { picture, recording } from "./pictures/svg.mjs";
import { root } from "./run-command.mjs";

// Redraws docs/pictures/ with the current program. Arguments select pictures.
const folder = join(root, "docs", "pictures");
const wanted = process.argv.slice(2);

/** @param {import("./pictures/scenes.mjs").PictureScene} scene */
const namesOf = (scene) => [
  ...scene.steps.flatMap((step) => ("picture" in step ? [step.picture] : [])),
  ...(scene.recording === undefined ? [] : [scene.recording]),
];

/** @param {string} name @param {string} svg */
function keep(name, svg) {
  writeFileSync(join(folder, `${name}.svg`), svg);
  console.log(`docs/pictures/${name}.svg: ${Math.ceil(svg.length / 1024)} kB`);
}

/** @param {import("./pictures/scenes.mjs").PictureScene} scene @param {Awaited<ReturnType<typeof loadHarness>>} harness */
async function draw({ title, columns, rows, steps, replies, recording: film, language, files }, harness) {
  const { openScene, scripted, SHOP } = harness;
  const scene = await openScene({
    program: [process.execPath, join(root, "dist", "cli.js")],
    files: { ...SHOP, ...files },
    ...(language === undefined ? {} : { language }),
    ...(replies === undefined ? {} : { script: scripted(...replies) }),
  });
  try {
    const { pictures, frames } = await play(scene.open({ columns, rows }), steps);
    for (const [name, shot] of pictures) keep(name, picture(shot, { title, columns }));
    if (film !== undefined) keep(film, recording(frames, { title, columns }));
  } finally {
    await scene.close();
  }
}

await build();
mkdirSync(folder, { recursive: true });
const harness = await loadHarness();
for (const scene of scenes) {
  const names = namesOf(scene);
  if (wanted.length === 0 || wanted.some((each) => names.includes(each))) await draw(scene, harness);
}
