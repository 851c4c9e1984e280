import "./supported-node.mjs";
import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail } from "./process.mjs";

// `npm run build -- <folder>` makes the console in that folder, for an image; otherwise it is what `npm start` runs.
await ensureInstalled();
const result = await build({ target: process.argv[2] });
process.stdout.write(result.output);
if (result.code !== 0) fail("The build failed.");
