import { realDisk } from "../../../../src/disk/disk.ts";
import { Refs } from "../../../../src/snapshots/keeping/refs.ts";
import { ref } from "../kept-scene.ts";

// Adds references to a session while other processes add to it too.
const [, , folder = "", from = "0", count = "0"] = process.argv;
const refs = new Refs(realDisk, folder);
for (let number = Number(from); number < Number(from) + Number(count); number += 1) refs.add([ref(number)]);
