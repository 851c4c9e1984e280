import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { createGunzip } from "node:zlib";
import { AwsClient } from "aws4fetch";
import S3rver from "s3rver";
import { v2 as webdav } from "webdav-server";
import { FOLDERS } from "./database";

// The real other ends of document sources: Git's own server, an S3 server and a WebDAV server.

export const S3_KEY = "S3RVER";

/** Writes files by their paths. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export const temporaryFolder = (): string => mkdtempSync(join(FOLDERS, "source-"));

async function listen(handler: RequestListener) {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A repository that `git http-backend` serves, with a token as its password. */
export async function startGitServer(token: string) {
  const folder = temporaryFolder();
  const work = join(folder, "work");
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", work, "-c", "user.name=Test", "-c", "user.email=test@example.org", ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    }).toString();
  mkdirSync(work);
  git("init", "-q", "-b", "main");
  const expected = `Basic ${Buffer.from(`git:${token}`).toString("base64")}`;
  const server = await listen((request, response) => {
    if (request.headers.authorization !== expected) {
      response.writeHead(401).end();
      return;
    }
    const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
    const backend = spawn("/usr/lib/git-core/git-http-backend", [], {
      env: {
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: pathname.replace(/^\/handbook\.git/, "/work/.git"),
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method ?? "GET",
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        PATH: process.env.PATH,
        NODE_ENV: "test",
      },
    });
    const isPacked = request.headers["content-encoding"] === "gzip";
    (isPacked ? request.pipe(createGunzip()) : request).pipe(backend.stdin);
    let head = Buffer.alloc(0);
    let isBody = false;
    backend.stdout.on("data", (piece: Buffer) => {
      if (isBody) {
        response.write(piece);
        return;
      }
      head = Buffer.concat([head, piece]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      isBody = true;
      const lines = head.subarray(0, end).toString("latin1").split("\r\n");
      const fields = lines.map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      });
      const status = fields.find(([name]) => name === "Status")?.[1].slice(0, 3) ?? "200";
      response.writeHead(Number(status), Object.fromEntries(fields.filter(([name]) => name !== "Status")));
      response.write(head.subarray(end + 4));
    });
    backend.stdout.on("end", () => response.end());
  });
  return {
    ...server,
    address: `${server.origin}/handbook.git`,
    work,
    git,
    commit(files: Readonly<Record<string, string | Uint8Array>>) {
      writeFiles(work, files);
      git("add", "-A");
      git("commit", "-q", "-m", "Change", "--allow-empty");
    },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Of the S3 server. */
const S3_SECRET = "S3RVER";
const BUCKET = "handbook";

async function freePort(): Promise<number> {
  const server = await listen(() => undefined);
  await server.close();
  return Number(new URL(server.origin).port);
}

/** Versity's gateway, whose program `npm run test:s3` builds: it verifies signatures, which s3rver doesn't. */
async function runVersity(program: string, folder: string) {
  const [root, about] = [join(folder, "root"), join(folder, "about")];
  for (const path of [join(root, BUCKET), about]) mkdirSync(path, { recursive: true });
  const port = await freePort();
  const options = ["--port", `127.0.0.1:${port}`, "--quiet", "posix", "--sidecar", about, root];
  const env = { ROOT_ACCESS_KEY_ID: S3_KEY, ROOT_SECRET_ACCESS_KEY: S3_SECRET, NODE_ENV: "test" as const };
  const child = spawn(program, options, { env, stdio: "ignore" });
  const address = `http://127.0.0.1:${port}`;
  for (let left = 200; !(await fetch(address).catch(() => undefined)); left--) {
    if (left === 0 || child.exitCode !== null) throw new Error(`${program} doesn't answer.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { address, close: async () => void child.kill("SIGKILL") };
}

async function runS3rver(directory: string) {
  const options = { address: "127.0.0.1", port: 0, silent: true, directory };
  const server = new S3rver({ ...options, configureBuckets: [{ name: BUCKET, configs: [] }] });
  const { port } = await server.run();
  return { address: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** Whether the S3 server verifies signatures. */
export const S3_VERIFIES = Boolean(process.env.VERSITYGW);

export async function startS3Server() {
  const directory = temporaryFolder();
  const { VERSITYGW } = process.env;
  const server = await (VERSITYGW ? runVersity(VERSITYGW, directory) : runS3rver(directory));
  const { address } = server;
  const client = new AwsClient({
    accessKeyId: S3_KEY,
    secretAccessKey: S3_SECRET,
    service: "s3",
    region: "us-east-1",
    retries: 0,
  });
  const call = async (method: string, key: string, body?: string) => {
    const path = key.startsWith("?") ? key : `/${key.split("/").map(encodeURIComponent).join("/")}`;
    const response = await client.fetch(`${address}/${BUCKET}${path}`, { method, ...(body ? { body } : {}) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${key}: ${response.status} ${text}`);
    return text;
  };
  return {
    address,
    /** Of a console that copies its files there. */
    env: {
      FILES_S3_ENDPOINT: address,
      FILES_S3_BUCKET: `${BUCKET}/files`,
      FILES_S3_ACCESS_KEY_ID: S3_KEY,
      FILES_S3_SECRET_ACCESS_KEY: S3_SECRET,
    },
    put: (key: string, body: string) => call("PUT", key, body),
    remove: (key: string) => call("DELETE", key),
    /** Keys below a folder. */
    async list(folder: string): Promise<string[]> {
      const listing = await call("GET", `?list-type=2&prefix=${folder}/`);
      return [...listing.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => key);
    },
    async close() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A WebDAV server with a user `anna` and a folder on disk. */
export async function startWebdavServer(password: string) {
  const folder = temporaryFolder();
  const users = new webdav.SimpleUserManager();
  const anna = users.addUser("anna", password, false);
  const rights = new webdav.SimplePathPrivilegeManager();
  rights.setRights(anna, "/", ["canRead"]);
  const server = new webdav.WebDAVServer({
    port: 0,
    hostname: "127.0.0.1",
    requireAuthentification: true,
    httpAuthentication: new webdav.HTTPBasicAuthentication(users, "test"),
    privilegeManager: rights,
  });
  await server.setFileSystemAsync("/dav", new webdav.PhysicalFileSystem(folder));
  const http = await server.startAsync(0);
  const { port } = http.address() as AddressInfo;
  return {
    folder,
    address: `http://127.0.0.1:${port}/dav`,
    async close() {
      await server.stopAsync();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
