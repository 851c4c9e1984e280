import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, lstatSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../process.mjs";
import { Container, childrenOf, userOf, volumeOf } from "./container.mjs";

/** @typedef {import("./build.mjs").Image} Image */

/** Also the owner in the older version's data. */
const OWNER = { OWNER_EMAIL: "owner@example.org", OWNER_PASSWORD: "correct horse battery" };
/** A data folder of migration 15, as tests/integration/upgrade.test.ts describes it. */
const OLDER = {
  archive: "tests/fixtures/data-folder-0015.tar.gz",
  key: "the key of the upgrade test, 0123456789abcdef",
};
/** A platform like OpenShift gives each project a range of uids, which no image knows; the group is always root's. */
const ARBITRARY = { uid: 1_000_650_000, gid: 0 };
const ROOT = { uid: 0, gid: 0 };
/** Somebody who is neither root nor in the image. */
const STRANGER = { uid: 4242, gid: 4242 };

function assert(condition, message) {
  if (!condition) throw new Error(message);
}

async function post(container, path, json, cookie) {
  const headers = { "content-type": "application/json", cookie };
  const response = await container.ask(path, { method: "POST", headers, body: JSON.stringify(json) });
  const text = await response.text();
  assert(response.ok, `POST ${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

async function signIn(container) {
  const body = new URLSearchParams({ email: OWNER.OWNER_EMAIL, password: OWNER.OWNER_PASSWORD });
  const response = await container.ask("/login?local=1", { method: "POST", body });
  const cookies = response.headers.getSetCookie().map((line) => line.split(";")[0]);
  const session = cookies.find((pair) => pair.startsWith("qd_session="));
  assert(session, `The sign-in answered ${response.status} without a session.`);
  return session;
}

async function findText(container, cookie, query, text) {
  const { results } = await post(container, "/api/rag/search", { query, topK: 5 }, cookie);
  assert(
    results.some(({ content }) => content.includes(text)),
    `The search for "${query}" didn't find "${text}".`,
  );
}

const descendantsOf = (pid) => childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);

/** Children that read documents are limited by the kernel, which takes prlimit in the image. */
function assertMemoryLimits(container) {
  const limits = descendantsOf(container.pid).map((pid) => readFileSync(`/proc/${pid}/limits`, "utf8"));
  assert(
    limits.some((text) => /^Max data size +\d/m.test(text)),
    `None of the ${limits.length} child processes has a limit on its memory.`,
  );
}

async function assertHealthy(container) {
  const response = await container.ask("/api/health");
  const health = await response.json();
  assert(response.ok && health.status === "ok", `/api/health answered ${JSON.stringify(health)}.`);
  const [form, ...command] = container.image.config.Healthcheck.Test;
  assert(form === "CMD", `The health check has the form ${form}.`);
  const { code, output } = await container.exec(command);
  assert(code === 0, `The health check ended with ${code}: ${output}`);
}

/** Signing in takes a native module, ingesting a child process, searching another one and the vector extension. */
async function assertWorks(container) {
  await assertHealthy(container);
  const cookie = await signIn(container);
  await post(container, "/api/rag/ingest", { title: "Lighthouse", text: "The lamp turns at dusk." }, cookie);
  assertMemoryLimits(container);
  await findText(container, cookie, "lamp", "turns at dusk");
}

async function assertStops(container) {
  const code = await container.stop();
  assert(code === 0, `After SIGTERM it ended with ${code}.`);
}

/**
 * Starts a container, does something with it and stops it.
 *
 * @param {Image} image
 * @param {object} options of the container
 * @param {(container: Container) => Promise<void>} [work]
 */
async function inContainer(image, options, work = assertWorks) {
  const container = new Container(image, { ...options, env: { ...OWNER, ...options.env } });
  try {
    await container.start();
    await work(container);
    await assertStops(container);
  } catch (error) {
    throw new Error(`${error.message}\n${container.output.slice(-4000)}`, { cause: error });
  } finally {
    container.kill();
  }
}

/** A folder of the host. */
function folderOf(work, { uid, gid }, mode) {
  const folder = mkdtempSync(join(work, "data-"));
  chownSync(folder, uid, gid);
  chmodSync(folder, mode);
  return folder;
}

/** A new volume has the owner, mode and content of the image's folder. */
function newVolume(image, work) {
  const own = join(image.root, volumeOf(image));
  const folder = mkdtempSync(join(work, "volume-"));
  execFileSync("cp", ["-a", `${own}/.`, folder]);
  return folder;
}

async function refuses(image, work, data) {
  const { uid } = userOf(image);
  const container = new Container(image, { work, data, env: OWNER });
  const code = await container.run();
  const { output } = container;
  const expect = (condition, what) => assert(condition, `${what}; it ended with ${code}:\n${output}`);
  expect(code === 1, "It should end with 1");
  expect(output.includes(volumeOf(image)), "Its message should name the folder");
  expect(output.includes(`uid ${uid}`), `Its message should name uid ${uid}`);
  expect(!/^\s+at /m.test(output), "It should print no stack");
  const [command] = /\bchown .*/.exec(output) ?? [];
  expect(command, "Its message should have the command that mends it");
  // `docker run --user root` has these two among others, with compose.yaml root has none.
  const capabilities = ["chown", "dac_override"];
  const mender = new Container(image, { work, data, user: ROOT, readOnly: true, capabilities });
  const mended = await mender.run(["sh", "-c", command]);
  assert(mended === 0, `"${command}" ended with ${mended}: ${mender.output}`);
  await inContainer(image, { work, data });
}

async function keepsData(image, work) {
  const data = folderOf(work, userOf(image), 0o755);
  await inContainer(image, { work, data });
  const { uid } = lstatSync(join(data, "quarterdeck.sqlite"));
  assert(uid === userOf(image).uid, `The database in the host's folder belongs to uid ${uid}.`);
  await inContainer(image, { work, data }, async (container) =>
    findText(container, await signIn(container), "lamp", "turns at dusk"),
  );
}

async function migratesOlderData(image, work) {
  const data = newVolume(image, work);
  const { uid, gid } = userOf(image);
  execFileSync("tar", ["-xzf", join(root, OLDER.archive), "-C", data]);
  execFileSync("chown", ["-R", `${uid}:${gid}`, data]);
  const env = { AUDIT_KEY: OLDER.key };
  await inContainer(image, { work, data, env }, async (container) => {
    await assertWorks(container);
    await findText(container, await signIn(container), "harbour", "Harbour 1 is deep.");
    const { code, output } = await container.exec(["node", "build/audit-verify.mjs"]);
    assert(code === 0 && output.startsWith("OK: "), `The audit trail doesn't verify: ${output}`);
  });
  assert(existsSync(join(data, "snapshots")), "There is no snapshot from before the migration.");
}

/** Everybody may write both folders. */
const READ_ONLY_PROBE = "! touch /var/tmp/probe 2>/dev/null && touch /tmp/probe";

/**
 * @param {Image} image
 * @param {string} work a folder for this run
 * @returns {{ name: string, run: () => Promise<void> }[]}
 */
export const checksOf = (image, work) => [
  {
    name: "the image's user, new volume",
    run: () => inContainer(image, { work, data: newVolume(image, work) }),
  },
  {
    name: "an arbitrary uid with gid 0, new volume",
    run: () => inContainer(image, { work, data: newVolume(image, work), user: ARBITRARY }),
  },
  {
    name: "an arbitrary uid with gid 0, read-only root",
    run: () => inContainer(image, { work, data: newVolume(image, work), user: ARBITRARY, readOnly: true }),
  },
  {
    name: "read-only root, /tmp as tmpfs",
    run: () =>
      inContainer(image, { work, data: newVolume(image, work), readOnly: true }, async (container) => {
        const { code } = await container.exec(["sh", "-c", READ_ONLY_PROBE]);
        assert(code === 0, "The root can be written, or /tmp can't.");
        await assertWorks(container);
      }),
  },
  {
    name: "a closed data folder of somebody else",
    run: () => refuses(image, work, folderOf(work, STRANGER, 0o700)),
  },
  {
    name: "a data folder that Docker made as root",
    run: () => refuses(image, work, folderOf(work, ROOT, 0o755)),
  },
  { name: "a folder of the host as bind mount", run: () => keepsData(image, work) },
  { name: "a volume with an older version's data", run: () => migratesOlderData(image, work) },
];
