import { realDisk } from "../../../../src/disk/disk.ts";
import { Refs } from "../../../../src/snapshots/keeping/refs.ts";
import { ref } from "../kept-scene.ts";

// Adds references to a session that others add to at the same time.
const [, , folder = "", from = "0", count = "0"] = process.argv;
const refs = new Refs(realDisk, folder);
for (let number = Number(from); number < Number(from) + Number(count); number += 1) refs.add([ref(number)]);
