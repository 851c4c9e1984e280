import "./supported-node.mjs";
import { join } from "node:path";
import { isBuildStale } from "./builds.mjs";
import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, loadEnvFile, root } from "./process.mjs";
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
loadEnvFile();
process.env.NODE_ENV ||= "production";
// In this process, not a child: signals and exit codes need no forwarding.
await phase("start", () => import(join(root, "build/server.mjs")));
