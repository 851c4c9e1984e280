/**
 * `npm run walk -- chat | upload | hook | setting` prints the files of app/ in which a function ran during one warm
 * request, and their number; without a name, the number of each. Work that follows the response counts as well: an
 * upload till the document is ready, a webhook till its run is over. It makes its own build with source maps.
 */
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { parseHTML } from "linkedom";
import { nodeBundle } from "./node-bundle.mjs";
import { fail, root, runNode } from "./process.mjs";

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
  const remix = await runNode("@remix-run/dev/dist/cli.js", ["vite:build", "--sourcemapServer"], {
    env: { NODE_ENV: "production", BUILD_DIRECTORY: relative(root, output) },
  });
  if (remix.code !== 0) fail(remix.output);
  renameSync(join(output, "server"), join(output, "remix"));
  const options = nodeBundle();
  const probe = `${pathToFileURL(join(import.meta.dirname, "walk-probe.mjs"))}?${encodeURIComponent(marks)}`;
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
  const workers = readdirSync(join(root, "app/workers")).map((name) => [
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

/** Answers like OpenAI's chat API, in a few pieces. */
async function startModel() {
  const piece = (more) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "walk", ...more })}\n\n`;
  const delta = (content, finish_reason = null) =>
    piece({ choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason }] });
  const usage = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      if (request.method !== "POST") return response.end('{"object":"list","data":[]}');
      response.setHeader("content-type", "text/event-stream");
      for (const content of ["Hello", " from", " here"]) response.write(delta(content));
      response.write(delta("", "stop"));
      response.end(`${piece({ choices: [], usage })}data: [DONE]\n\n`);
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

/** Starts the build with an owner. */
async function startConsole() {
  const dataDir = mkdtempSync(join(tmpdir(), "quarterdeck-walk-"));
  const child = spawn(process.execPath, ["build/server.mjs"], {
    cwd: built,
    env: {
      PATH: process.env.PATH,
      HOME: dataDir,
      TZ: "UTC",
      NODE_ENV: "production",
      NODE_DISABLE_COMPILE_CACHE: "1",
      HOST: "127.0.0.1",
      PORT: "0",
      DATA_DIR: dataDir,
      LOG_LEVEL: "warn",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const setUp = await new Promise((done, failed) => {
    const read = (text) => {
      output += text;
      const found = /(http:\/\/\S+?)\/setup\?token=(\S+)/.exec(output);
      if (found && /ready at/.test(output)) done(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", () => failed(new Error(`The console didn't start.\n${output}`)));
  });
  const port = /ready at http:\/\/[^:]+:(\d+)/.exec(output)[1];
  const origin = `http://127.0.0.1:${port}`;
  let cookie = "";
  const ask = async (path, { method, status = 200, json, ...more } = {}) => {
    const body = json ? JSON.stringify(json) : more.body;
    const response = await fetch(new URL(path, origin), {
      method: method ?? (body ? "POST" : "GET"),
      body,
      redirect: "manual",
      headers: { origin, cookie, ...(json ? { "content-type": "application/json" } : {}), ...more.headers },
    });
    const text = await response.text();
    if (response.status !== status) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
    cookie ||=
      response.headers
        .getSetCookie()
        .map((line) => line.split(";")[0])
        .find((pair) => /session=/.test(pair)) ?? "";
    return text;
  };
  const owner = {
    firstName: "Ada",
    lastName: "Walker",
    email: "ada@example.org",
    password: "a long enough pass phrase",
  };
  await ask(`/setup?token=${setUp[2]}`, { body: new URLSearchParams(owner), status: 303 });
  const stop = async () => {
    child.kill("SIGKILL");
    await new Promise((done) => child.once("exit", done));
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { ask, stop, mainThread: `${child.pid}-0` };
}

/** Fields of the form that this button sends. */
function fieldsOf(html, intent) {
  const { document } = parseHTML(html);
  const button = document.querySelector(`button[name="intent"][value="${intent}"]`);
  const fields = new URLSearchParams({ intent });
  for (const control of button
    .closest("form")
    .querySelectorAll("input[name], select[name], textarea[name]")) {
    const isOff =
      /checkbox|radio/.test(control.getAttribute("type") ?? "") && !control.hasAttribute("checked");
    const chosen = control.querySelector?.("option[selected]") ?? control;
    if (!isOff)
      fields.append(control.getAttribute("name"), chosen.getAttribute("value") ?? control.textContent);
  }
  return fields;
}

/** Each prepares a request; what it returns makes it, and checks afterwards what became of it. */
const WALKS = {
  async chat({ ask }) {
    const model = await startModel();
    const { port } = model.address();
    const config = { baseUrl: `http://127.0.0.1:${port}/v1`, models: ["walk"] };
    await ask("/api/providers", { json: { provider: "custom", displayName: "Walk", config }, status: 201 });
    return {
      async request() {
        const messages = [{ role: "user", content: "Hello there" }];
        const events = await ask("/api/ai/chat", { json: { model: "walk", messages } });
        if (!/ here/.test(events)) throw new Error(`The chat answered ${events}`);
      },
      end: () => model.close(),
    };
  },
  async upload({ ask }) {
    let number = 0;
    let id;
    return {
      async request() {
        number += 1;
        const body = new FormData();
        const text = `Report ${number}. The harbour lies in the north. Ships call at high water ${number}.`;
        body.append("files", new Blob([text], { type: "text/plain" }), `report-${number}.txt`);
        [{ id }] = JSON.parse(await ask("/api/rag/upload", { body, status: 202 }));
      },
      async check() {
        const { status, error } = JSON.parse(await ask(`/api/rag/documents/${id}`));
        if (status !== "ready") throw new Error(`The document is ${status}. ${error ?? ""}`);
      },
    };
  },
  async hook({ ask }) {
    const workflow = {
      name: "Walk",
      triggers: [{ id: "hook", type: "webhook", config: {} }],
      steps: [{ type: "log", config: { message: "A call came" } }],
    };
    const { id } = JSON.parse(await ask("/api/workflows", { json: workflow, status: 201 }));
    const [address] = /\/api\/hooks\/[\w-]+/.exec(await ask(`/api/workflows/${id}/webhooks`));
    let runId;
    return {
      async request() {
        ({ runId } = JSON.parse(await ask(address, { json: { tide: "high" }, status: 202 })));
      },
      async check() {
        const run = JSON.parse(await ask(`/api/runs/${runId}`));
        if (run.state !== "succeeded") throw new Error(`The run is ${run.state}.`);
      },
    };
  },
  async setting({ ask }) {
    const path = "/settings/advanced";
    const read = async () => fieldsOf(await ask(path, { headers: { accept: "text/html" } }), "save");
    let fields = await read();
    let limit = 100;
    return {
      async request() {
        limit += 10;
        fields.set("performance.rateLimit", String(limit));
        await ask(path, { body: fields, status: 303, headers: { accept: "text/html" } });
      },
      async check() {
        fields = await read();
        if (fields.get("performance.rateLimit") !== String(limit))
          throw new Error("The setting wasn't saved.");
      },
    };
  },
};

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
async function takeMark() {
  mark += 1;
  writeMark();
  const ran = new Map();
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
async function filesTillIdle(mainThread) {
  const files = new Set();
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

const sources = new Map();

/** Reads a built file's map. @returns the source of a position in it */
function sourceFinder(url) {
  const file = fileURLToPath(url);
  if (!existsSync(`${file}.map`)) return () => undefined;
  const text = readFileSync(file, "utf8");
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    return map.findEntry(line, offset - starts[line]);
  };
}

/** The files of app/ whose functions these are. */
function filesOf(ran) {
  const files = new Set();
  for (const { url, functionName, startOffset } of ran) {
    if (!url.startsWith(pathToFileURL(built).href)) continue;
    // A module's top level.
    if (startOffset === 0 && functionName === "") continue;
    if (!sources.has(url)) sources.set(url, sourceFinder(url));
    const entry = sources.get(url)(startOffset);
    const source = /^(?:file:\/\/)?(?:\/?\.\.\/)*(app\/.*)$/.exec(entry?.originalSource ?? "")?.[1];
    if (source) files.add(source);
  }
  return files;
}

async function walk(name) {
  const server = await startConsole();
  try {
    const { request, check, end } = await WALKS[name](server);
    const rounds = [];
    for (let round = 0; round <= ROUNDS; round++) {
      await filesTillIdle(server.mainThread);
      await request();
      rounds.push(await filesTillIdle(server.mainThread));
      await check?.();
    }
    await end?.();
    // The first warms up.
    const [, first, ...others] = rounds;
    return [...first].filter((file) => others.every((files) => files.has(file))).sort();
  } finally {
    await server.stop();
  }
}

const names = process.argv.slice(2);
const unknown = names.find((name) => !(name in WALKS));
if (unknown) fail(`There is no walk ${unknown}. Choose from ${Object.keys(WALKS).join(", ")}.`);
await buildWithMaps();
for (const name of names.length > 0 ? names : Object.keys(WALKS)) {
  for (const file of readdirSync(marks)) rmSync(join(marks, file));
  writeMark();
  const files = await walk(name);
  if (names.length > 0) console.log(files.join("\n"));
  console.log(`${name}: ${files.length} files`);
}
