import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { makeServer } from "./make-server.mjs";

// Some servers print a greeting where the protocol allows only messages.
process.stdout.write("Welcome!\n");
serveStdio(makeServer);
