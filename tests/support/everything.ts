import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The reference MCP server as a local command: its program takes a transport's name, such as `stdio`. */
export const EVERYTHING_SERVER = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json")),
  "dist/index.js",
);
