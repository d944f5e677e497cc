import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { makeServer } from "./make-server.mjs";

// A greeting where only messages belong: some servers do that.
process.stdout.write("Welcome!\n");
serveStdio(makeServer);
