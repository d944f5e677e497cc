import type { ScreenSettings } from "../../app/app-types.ts";
import type { Language } from "../../strings/language.ts";
import { type Strings, stringsFor } from "../../strings/strings.ts";
import { glyphsFor } from "../look/glyphs.ts";
import type { Glyphs, Look, Paint } from "../look/look.ts";
import { theme } from "../look/theme.ts";

/** How everything looks now: it follows the settings, the terminal's background and the language. */
export class Appearance {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #glyphs: Glyphs;
  readonly #now: () => number;
  #strings: Strings;
  #paint: Paint;
  #wanted: ScreenSettings["theme"] = "auto";
  #background: "light" | "dark" | undefined;

  constructor(parts: {
    readonly environment: NodeJS.ProcessEnv;
    readonly strings: Strings;
    readonly now: () => number;
  }) {
    this.#environment = parts.environment;
    this.#strings = parts.strings;
    this.#now = parts.now;
    this.#glyphs = glyphsFor(parts.environment);
    this.#paint = theme(parts.environment, this.#wanted, undefined);
  }

  get strings(): Strings {
    return this.#strings;
  }

  get look(): Look {
    return { strings: this.#strings, paint: this.#paint, glyphs: this.#glyphs, now: this.#now() };
  }

  setTheme(wanted: ScreenSettings["theme"]): void {
    if (wanted !== this.#wanted) this.#repaint(wanted, this.#background);
  }

  setBackground(background: "light" | "dark"): void {
    if (background !== this.#background) this.#repaint(this.#wanted, background);
  }

  async setLanguage(language: Language): Promise<void> {
    this.#strings = await stringsFor(language);
  }

  #repaint(wanted: ScreenSettings["theme"], background: "light" | "dark" | undefined): void {
    this.#wanted = wanted;
    this.#background = background;
    this.#paint = theme(this.#environment, wanted, background);
  }
}
