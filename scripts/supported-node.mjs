import { fetchNode } from "./node-program.mjs";
import { isSupportedNode, NODE_NEEDED } from "./node-version.mjs";
import { fail } from "./process.mjs";
import { endWithParent, isRerun, rerun } from "./rerun.mjs";

// Imported first by every script: under an older Node the script runs again with a newer one, which npm's registry has
// as a package.

async function bringNode() {
  const { program, problem } = await fetchNode("24", (version) =>
    console.log(`Node ${process.versions.node} is too old: fetching Node ${version} once, into .node …`),
  );
  if (!program) fail(`${problem} ${NODE_NEEDED} Install Node 24 (https://nodejs.org) and try again.`);
  return program;
}

if (!isSupportedNode()) await rerun(await bringNode());
else if (isRerun()) endWithParent();
