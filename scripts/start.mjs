import "./supported-node.mjs";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isBuildStale } from "./builds.mjs";
import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root } from "./process.mjs";
import { phase } from "./timings.mjs";

// From a fresh clone to a running console; finished steps cost nothing.
process.chdir(root);
if (isBuildStale()) {
  await ensureInstalled();
  console.log("Building …");
  const result = await phase("build", build, () => join(root, ".builds"));
  if (result.code !== 0) {
    process.stderr.write(result.output);
    fail("The build failed.");
  }
}
// The environment takes precedence over the file.
const present = new Set(Object.keys(process.env));
if (existsSync(".env")) process.loadEnvFile(".env");
process.env.ENV_FILE_VARIABLES ??= Object.keys(process.env)
  .filter((name) => !present.has(name))
  .join(" ");
process.env.NODE_ENV ||= "production";
// In this process, not a child: signals and exit codes need no forwarding.
await phase("start", () => import(join(root, "build/server.mjs")));
