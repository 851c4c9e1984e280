/**
 * `npm run walk -- chat | upload | hook | setting` prints the files of app/ in which a function ran during one warm
 * request, and their number; without a name, the number of each. Work that follows the response counts as well: an
 * upload till the document is ready, a webhook till its run is over. It makes its own build with source maps.
 */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { SourceMap } from "node:module";
import { basename, join, relative, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { parseHTML } from "linkedom";
import { nodeBundle } from "../../scripts/node-bundle.mjs";
import { fail } from "../../scripts/process.mjs";
import { AIMOCK_MODEL, addMockProvider, startAimock } from "../support/aimock";
import { type Ask, startServer, type TestServer } from "../support/server";

const root = resolve(".");
const built = join(root, ".cache/walk");
const marks = join(built, "marks");
/** A request's work is over when the main thread has been idle for so many seconds. */
const IDLE_SECONDS = 3;
/** A file counts if it is in each of them, which leaves out most work that runs at its own times. */
const ROUNDS = 3;

async function buildWithMaps() {
  rmSync(built, { recursive: true, force: true });
  mkdirSync(marks, { recursive: true });
  for (const name of ["db", "package.json"]) symlinkSync(join(root, name), join(built, name));
  const output = join(built, "build");
  const remix = spawnSync(
    process.execPath,
    ["node_modules/@remix-run/dev/dist/cli.js", "vite:build", "--sourcemapServer"],
    {
      env: { ...process.env, NODE_ENV: "production", BUILD_DIRECTORY: relative(root, output) },
      encoding: "utf8",
    },
  );
  if (remix.status !== 0) throw new Error(remix.stdout + remix.stderr);
  renameSync(join(output, "server"), join(output, "remix"));
  const options = nodeBundle();
  const probe = `${pathToFileURL(join(import.meta.dirname, "probe.mjs"))}?${encodeURIComponent(marks)}`;
  const common = {
    ...options,
    sourcemap: true,
    sourcesContent: false,
    banner: { js: `import ${JSON.stringify(probe)}; ${options.banner?.js ?? ""}` },
  };
  await build({
    ...common,
    entryPoints: [join(output, "remix/index.js")],
    outdir: join(output, "server"),
    splitting: true,
  });
  const workers = readdirSync("app/workers").map((name) => [
    `workers/${basename(name, ".worker.ts")}`,
    join(root, "app/workers", name),
  ]);
  await build({
    ...common,
    entryPoints: { server: "server.ts", ...Object.fromEntries(workers) },
    outdir: output,
    outExtension: { ".js": ".mjs" },
  });
}

/** Asks as the owner. @returns the text. @throws at another status */
async function ask(
  server: TestServer,
  path: string,
  { status = 200, ...options }: Ask & { status?: number } = {},
) {
  const response = await server.ask(path, { as: "owner", ...options });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
  return text;
}

/** Fields of the form that this button sends. */
function fieldsOf(html: string, intent: string): URLSearchParams {
  const button = parseHTML(html).document.querySelector(`button[name="intent"][value="${intent}"]`);
  const fields = new URLSearchParams({ intent });
  for (const control of button
    ?.closest("form")
    ?.querySelectorAll("input[name], select[name], textarea[name]") ?? []) {
    const isOff =
      /checkbox|radio/.test(control.getAttribute("type") ?? "") && !control.hasAttribute("checked");
    const chosen = control.querySelector("option[selected]") ?? control;
    if (!isOff)
      fields.append(
        control.getAttribute("name") ?? "",
        chosen.getAttribute("value") ?? control.textContent ?? "",
      );
  }
  return fields;
}

interface Walk {
  request(): Promise<void>;
  /** What became of the request. */
  check?(): Promise<void>;
  end?(): Promise<unknown>;
}

/** Each prepares a request. */
const WALKS: Record<string, (server: TestServer) => Promise<Walk>> = {
  async chat(server) {
    const mock = await startAimock();
    await addMockProvider(server, mock);
    return {
      async request() {
        const messages = [{ role: "user", content: "greet me" }];
        const events = await ask(server, "/api/ai/chat", { json: { model: AIMOCK_MODEL, messages } });
        if (!/"finishReason":"stop"/.test(events)) throw new Error(`The chat answered ${events}`);
      },
      end: () => mock.stop(),
    };
  },
  async upload(server) {
    let number = 0;
    let id: string;
    return {
      async request() {
        number += 1;
        const body = new FormData();
        const text = `Report ${number}. The harbour lies in the north. Ships call at high water ${number}.`;
        body.append("files", new Blob([text], { type: "text/plain" }), `report-${number}.txt`);
        [{ id }] = JSON.parse(await ask(server, "/api/rag/upload", { body, status: 202 }));
      },
      async check() {
        const { status, error } = JSON.parse(await ask(server, `/api/rag/documents/${id}`));
        if (status !== "ready") throw new Error(`The document is ${status}. ${error ?? ""}`);
      },
    };
  },
  async hook(server) {
    const json = {
      name: "Walk",
      triggers: [{ id: "hook", type: "webhook", config: {} }],
      steps: [{ type: "log", config: { message: "A call came" } }],
    };
    const { id } = JSON.parse(await ask(server, "/api/workflows", { json, status: 201 }));
    const hooks = await ask(server, `/api/workflows/${id}/webhooks`);
    const [address = ""] = /\/api\/hooks\/[\w-]+/.exec(hooks) ?? [];
    let runId: string;
    return {
      async request() {
        ({ runId } = JSON.parse(await ask(server, address, { json: { tide: "high" }, status: 202 })));
      },
      async check() {
        const run = JSON.parse(await ask(server, `/api/runs/${runId}`));
        if (run.state !== "succeeded") throw new Error(`The run is ${run.state}.`);
      },
    };
  },
  async setting(server) {
    const path = "/settings/advanced";
    const headers = { accept: "text/html" };
    const read = async () => fieldsOf(await ask(server, path, { headers }), "save");
    let fields = await read();
    let limit = 100;
    return {
      async request() {
        limit += 10;
        fields.set("performance.rateLimit", String(limit));
        await ask(server, path, { body: fields, status: 303, headers });
      },
      async check() {
        fields = await read();
        if (fields.get("performance.rateLimit") !== String(limit))
          throw new Error("The setting wasn't saved.");
      },
    };
  },
};

interface Ran {
  url: string;
  functionName: string;
  startOffset: number;
}

const threadsNow = () =>
  readdirSync(marks)
    .filter((name) => name.endsWith(".thread"))
    .map((name) => basename(name, ".thread"));

let mark = 0;
const writeMark = () => {
  const next = join(marks, "next");
  writeFileSync(next, String(mark));
  renameSync(next, join(marks, "mark"));
};

/** Functions that ran since the last mark, of each thread. */
async function takeMark(): Promise<Map<string, Ran[]>> {
  mark += 1;
  writeMark();
  const ran = new Map<string, Ran[]>();
  for (const thread of threadsNow()) {
    const file = join(marks, `${thread}.${mark}.json`);
    const isRunning = existsSync(`/proc/${thread.split("-")[0]}`);
    for (let left = isRunning ? 500 : 0; left > 0 && !existsSync(file); left--) await pause(20);
    if (existsSync(file)) ran.set(thread, JSON.parse(readFileSync(file, "utf8")));
    else {
      rmSync(join(marks, `${thread}.thread`));
      console.error(`Thread ${thread} ended without a count.`);
    }
  }
  return ran;
}

/** Files of which a function ran, till the console has nothing more to do. */
async function filesTillIdle(mainThread: string): Promise<Set<string>> {
  const files = new Set<string>();
  for (let idle = 0; idle < IDLE_SECONDS; idle++) {
    await pause(1000);
    for (const [thread, ran] of await takeMark())
      for (const file of filesOf(ran)) {
        files.add(file);
        if (thread === mainThread) idle = -1;
      }
  }
  return files;
}

type Find = (offset: number) => string | undefined;
const sources = new Map<string, Find>();

/** Reads a built file's map. @returns the source of a position in it */
function sourceFinder(url: string): Find {
  const file = fileURLToPath(url);
  if (!existsSync(`${file}.map`)) return () => undefined;
  const text = readFileSync(file, "utf8");
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    const entry = map.findEntry(line, offset - (starts[line] ?? 0));
    return "originalSource" in entry ? entry.originalSource : undefined;
  };
}

/** The files of app/ whose functions these are. */
function filesOf(ran: readonly Ran[]): Set<string> {
  const files = new Set<string>();
  for (const { url, functionName, startOffset } of ran) {
    if (!url.startsWith(pathToFileURL(built).href)) continue;
    // A module's top level.
    if (startOffset === 0 && functionName === "") continue;
    const find = sources.get(url) ?? sourceFinder(url);
    sources.set(url, find);
    const source = /^(?:file:\/\/)?(?:\/?\.\.\/)*(app\/.*)$/.exec(find(startOffset) ?? "")?.[1];
    if (source) files.add(source);
  }
  return files;
}

async function walk(prepare: (server: TestServer) => Promise<Walk>): Promise<string[]> {
  const server = await startServer({ folder: built, env: { NODE_DISABLE_COMPILE_CACHE: "1" } });
  const mainThread = `${server.pid}-0`;
  try {
    const { request, check, end } = await prepare(server);
    const rounds: Set<string>[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      await filesTillIdle(mainThread);
      await request();
      rounds.push(await filesTillIdle(mainThread));
      await check?.();
    }
    await end?.();
    // The first warms up.
    const [, first, ...others] = rounds;
    return [...(first ?? [])].filter((file) => others.every((files) => files.has(file))).sort();
  } finally {
    await server.kill();
    await server.close();
  }
}

const names = process.argv.slice(2);
const unknown = names.find((name) => !(name in WALKS));
if (unknown) fail(`There is no walk ${unknown}. Choose from ${Object.keys(WALKS).join(", ")}.`);
await buildWithMaps();
for (const [name, prepare] of Object.entries(WALKS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const file of readdirSync(marks)) rmSync(join(marks, file));
  writeMark();
  const files = await walk(prepare);
  if (names.length > 0) console.log(files.join("\n"));
  console.log(`${name}: ${files.length} files`);
}
process.exit(0);
