import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail } from "./process.mjs";

await ensureInstalled();
const result = await build();
process.stdout.write(result.output);
if (result.code !== 0) fail("The build failed.");
