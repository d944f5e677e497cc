import { join } from "node:path";
import { findNodeAtLocation, getNodeValue } from "jsonc-parser";
import { type Environment, homeFolder } from "../../app/places/home.ts";
import { readSettingsFile } from "../../app/settings/file/settings-files.ts";
import { parseObject } from "../../app/settings/file/settings-text.ts";
import { variableOf } from "../../app/settings/table.ts";
import { isWorldlineError } from "../../record/error.ts";
import { type Language, languageOfLocale, languages } from "../../strings/language.ts";

const FLAG = "--setting";

/**
 * The language to speak, settled before anything is parsed, so that what goes wrong there is said in it too: the flag,
 * the variable, the user's own file, the locale. A value that is none is passed over here; whoever loads the settings
 * says what is wrong with it.
 */
export async function wantedLanguage(words: readonly string[], environment: Environment): Promise<Language> {
  const said =
    wordOf(fromFlag(words)) ??
    wordOf(environment[variableOf("language")]) ??
    wordOf(await fromFile(environment));
  return said === undefined || said === "auto" ? languageOfLocale(environment) : said;
}

function wordOf(given: unknown): Language | "auto" | undefined {
  return (["auto", ...languages] as const).find((each) => each === given);
}

function fromFlag(words: readonly string[]): string | undefined {
  const end = words.indexOf("--");
  return (end === -1 ? words : words.slice(0, end))
    .map((word, index, all) => (word === FLAG ? `${word}=${all[index + 1]}` : word))
    .findLast((word) => word.startsWith(`${FLAG}=language=`))
    ?.slice(`${FLAG}=language=`.length);
}

async function fromFile(environment: Environment): Promise<unknown> {
  try {
    const file = { layer: "user", path: join(homeFolder(environment), "settings.json") } as const;
    const content = await readSettingsFile(file);
    const root = content === undefined ? undefined : parseObject(content);
    const node = root === undefined ? undefined : findNodeAtLocation(root, ["language"]);
    return node === undefined ? undefined : getNodeValue(node);
  } catch (error) {
    if (isWorldlineError(error)) return undefined;
    throw error;
  }
}
