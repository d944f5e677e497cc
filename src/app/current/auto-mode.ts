import type { PermissionMode } from "../../ports/person.ts";
import { WorldlineError } from "../../record/error.ts";
import type { AgentRequest } from "../agent/agent-request.ts";
import type { AutoMode } from "../app-types.ts";
import type { AppContext } from "../context.ts";

/** Auto mode in the session that is here: a command line that names it has confirmed it, settings have not. */
export class AutoModeHere implements AutoMode {
  #state: "unconfirmed" | "wanted" | "confirmed" = "unconfirmed";

  get isConfirmed(): boolean {
    return this.#state === "confirmed";
  }

  confirm(): void {
    this.#state = "confirmed";
  }

  /** Throws where it is auto mode and the user was not asked about it in this session. */
  check(mode: PermissionMode): void {
    if (mode !== "auto" || this.isConfirmed) return;
    throw new WorldlineError("auto-mode-not-confirmed", {});
  }

  takeRequest(): boolean {
    if (this.#state !== "wanted") return false;
    this.#state = "unconfirmed";
    return true;
  }

  /** The mode that the next session is to have: "auto" also where the user was not asked about it yet. */
  modeAfter(mode: PermissionMode): PermissionMode {
    return this.#state === "wanted" ? "auto" : mode;
  }

  /** Another session is here now. */
  forget(): void {
    this.#state = "unconfirmed";
  }

  /** The mode that a session opens in. Auto without the user's word is "manual", and wanted. */
  async openingMode(context: AppContext, { mode }: Pick<AgentRequest, "mode">): Promise<PermissionMode> {
    const { explained, values } = await context.settings();
    const wanted = mode ?? values["permissions.mode"];
    if (wanted !== "auto" || this.isConfirmed) return wanted;
    const source = explained.find(({ key }) => key === "permissions.mode")?.source.layer;
    this.#state = mode === undefined && source === "flag" ? "confirmed" : "wanted";
    return this.isConfirmed ? "auto" : "manual";
  }
}
