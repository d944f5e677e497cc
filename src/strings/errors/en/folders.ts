import { error } from "../texts.ts";

/** Why a folder cannot be gone into; `system`: in the system's own words. */
export type WhyNoFolder = "missing" | "below-a-file" | "forbidden" | { readonly system: string };

interface Folder {
  readonly folder: string;
}

interface Unusable extends Folder {
  readonly why: WhyNoFolder;
}

const cannotBe = ({ folder, why }: Unusable) => `${folder} cannot be the workspace: ${whyNoFolder(why)}.`;

/** The errors of folders that Worldline itself works in: its home, the workspace, the folder for what is temporary. */
export const folders = {
  "home-not-a-folder": error(
    "STORE_UNWRITABLE",
    ({ folder }: Folder) => `Worldline's home ${folder} is not a folder.`,
    () => chooseHome,
  ),
  "home-not-made": error(
    "STORE_UNWRITABLE",
    ({ folder, why }: Folder & { readonly why?: string }) =>
      `Worldline's home ${folder} cannot be made${why === undefined ? "" : `: ${why}`}.`,
    () => chooseHome,
  ),
  "current-folder-gone": error(
    "WORKSPACE_UNUSABLE",
    () => "The current folder is not there any more.",
    () => "Change to a folder that exists.",
  ),
  "workspace-not-found": error("WORKSPACE_UNUSABLE", cannotBe, (_, { place }) =>
    place === "screen" ? "Give a folder that exists." : "Give a folder that exists: --workspace <folder>",
  ),
  "workspace-is-a-file": error(
    "WORKSPACE_UNUSABLE",
    ({ folder }: Folder) => `${folder} cannot be the workspace: it is not a folder.`,
    () => "Give the folder that it is in.",
  ),
  "workspace-unreadable": error("WORKSPACE_UNUSABLE", cannotBe, () => "Check its permissions."),
  "workspace-gone": error(
    "WORKSPACE_UNUSABLE",
    ({ folder }: Folder) => `The workspace ${folder} is not there.`,
    ({ folder }) => `Make it again, and its files come back with a rewind: mkdir -p ${folder}`,
  ),
  "workspace-elsewhere": error(
    "WORKSPACE_UNUSABLE",
    ({ session, workspace }: { readonly session: string; readonly workspace: string }) =>
      `Session ${session} works in ${workspace}, which is not on this machine.`,
    ({ session }, { command }) =>
      `Bring the folder here, or go on in a copy that works in this one: ${command(`fork ${session} --here`)}`,
  ),
  "no-temporary-folder": error(
    "STORE_UNWRITABLE",
    ({ folder }: Folder) => `There is no folder ${folder} for what is kept for a while.`,
    () => "Set TMPDIR to a folder that is there, or leave out --no-session.",
  ),
};

const chooseHome =
  "Set WORLDLINE_HOME to a folder that you may write to. For the agent, --no-session keeps nothing on disk.";

function whyNoFolder(why: WhyNoFolder): string {
  if (why === "missing") return "it does not exist";
  if (why === "below-a-file") return "part of its path is not a folder";
  return why === "forbidden" ? "it may not be read" : why.system;
}
