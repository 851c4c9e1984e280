import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "./bundle.mjs";
import { isBuildStale } from "./freshness.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root } from "./process.mjs";

// From a fresh clone to a running console. Each step costs nothing when its work is done already.
process.chdir(root);
await ensureInstalled();
if (isBuildStale()) {
  console.log("Building …");
  const result = await build();
  if (result.code !== 0) {
    process.stderr.write(result.output);
    fail("The build failed.");
  }
}
// What the environment says already wins over the file.
const present = new Set(Object.keys(process.env));
if (existsSync(".env")) process.loadEnvFile(".env");
globalThis.envFileVariables = Object.keys(process.env).filter((name) => !present.has(name));
process.env.NODE_ENV ||= "production";
// In this process, not a child: signals and exit codes need no forwarding.
await import(join(root, "build/server.mjs"));
