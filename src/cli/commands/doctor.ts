import { runDoctor } from "../../app/doctor/doctor.ts";
import { doctorText, shownCheck } from "../../show/doctor-text.ts";
import { shownAddress } from "../../stores/store-address.ts";
import { wordingIn } from "../../strings/wording.ts";
import { version } from "../../version.ts";
import { defineCommand, flag } from "../command.ts";
import { shellWording } from "../command-again.ts";
import { openProgress } from "../output.ts";

export const doctor = defineCommand({
  help: (help) => help.doctor,
  options: {
    fix: flag(),
  },
  run: async ({ options, frame }) => {
    const { strings, output } = frame;
    const progress = openProgress(frame);
    const found = await runDoctor(frame, {
      version,
      mode: options.fix ? "fix" : "check",
      onSession: (session) => {
        if (session === "done") progress.clear();
        else progress.show(strings.doctor.examining(session.done, session.of));
      },
    });
    const wording = wordingIn(strings.reasons, shellWording(frame.common));
    const checks = found.map((check) => shownCheck(check, { strings, wording }));
    const healthy = found.every(({ status }) => status !== "error");
    const document = {
      version,
      node: process.versions.node,
      home: frame.home,
      store: shownAddress(frame.common.store),
    };
    output.answer({ ...document, healthy, checks }, () =>
      doctorText(checks, { style: output.style, strings }),
    );
    return healthy ? 0 : 1;
  },
});
