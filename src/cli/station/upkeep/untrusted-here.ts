import type { Untrusted } from "../../../ports/station/upkeep.ts";
import type { Frame } from "../../command/frame.ts";
import { provideHome } from "../../places/home.ts";
import { readValues } from "../../settings/file/read-values.ts";
import { loadSettings, readTrustSubject } from "../../settings/settings.ts";
import { recordTrust } from "../../settings/trust.ts";

/** What in the folder is ignored until it is trusted; undefined where there is nothing, or it is trusted. */
export async function untrustedHere(frame: Frame): Promise<Untrusted | undefined> {
  const { explained, trust, mcp } = await loadSettings(await frame.settingsRequest());
  if (trust !== "untrusted") return undefined;
  const keys = explained.filter(({ ignored }) => ignored.length > 0).map(({ key }) => key);
  return { folder: await frame.workspace(), what: [...keys, ...(mcp === undefined ? [] : [mcp])] };
}

/** Trusts the folder's files exactly as they are now. */
export async function trustHere(frame: Frame): Promise<"trusted" | "nothing"> {
  const subject = await readTrustSubject(frame.home, await frame.workspace());
  // A file that cannot be read has not been seen, so it cannot be trusted either.
  for (const content of subject.files) readValues(content, content.layer);
  if (subject.files.length === 0 && subject.mcp === undefined) return "nothing";
  await provideHome(frame.home);
  await recordTrust(subject);
  return "trusted";
}
