import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./process.mjs";
import { lastLine } from "./python.mjs";

/** Versity's S3 gateway, which verifies signatures. */
const PACKAGE = "github.com/versity/versitygw/cmd/versitygw";
const VERSION = "v1.8.0";

/** In ms: on two busy cores it takes minutes. */
const BUILD_TIMEOUT = 15 * 60_000;

const folder = join(root, ".cache/versitygw", VERSION);

/** @returns {Promise<{ program?: string, refused?: string }>} its program, or why it can't be built */
export async function installVersitygw() {
  const program = join(folder, "versitygw");
  if (existsSync(program)) return { program };
  mkdirSync(folder, { recursive: true });
  const { code, output } = await run("go", ["install", `${PACKAGE}@${VERSION}`], {
    env: { GOBIN: folder, GOTOOLCHAIN: "local" },
    timeoutMs: BUILD_TIMEOUT,
  });
  if (code === 127) return { refused: "Go isn't installed" };
  return code === 0 && existsSync(program)
    ? { program }
    : { refused: `${PACKAGE} can't be built: ${lastLine(output)}` };
}
