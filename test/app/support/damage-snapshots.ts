import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Damages every stored object that contains the text, such as the folder in which a file has this name. */
export function damageSnapshots(home: string, text: string): void {
  const segments = join(home, "snapshots", "segments");
  for (const name of readdirSync(segments).filter((each) => each.endsWith(".seg"))) {
    const bytes = readFileSync(join(segments, name));
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text)) bytes[at] = 0;
    writeFileSync(join(segments, name), bytes);
  }
}
