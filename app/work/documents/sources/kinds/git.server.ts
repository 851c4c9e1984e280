import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { guardedFetch } from "~/core/egress/index.server";
import { dataDir, env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import { MAX_FILE_BYTES } from "~/work/extraction/formats.shared";
import { GitOutput, type GitTask } from "./git-task";
import {
  basicAuth,
  bodyOf,
  configOf,
  isOpenToNetwork,
  type OpenKind,
  refuseResponse,
  secretOf,
} from "./source-kind.server";

const Config = z.object({
  address: z.url(),
  branch: z.string(),
  prefix: z.string(),
  username: z.string(),
});

/** In bytes: of all refs' names, and of one commit's files as they are sent. */
const MAX_ADVERTISEMENT = 20_000_000;
const MAX_PACK = 300_000_000;
/** Limit of time for the pack (ms): a server may have to make it first. */
const PACK_TIMEOUT = 15 * 60_000;
/** GitHub, GitLab, Gitea and Bitbucket take a token with any user name. */
const ANY_USER = "git";

const pool = new ProcessPool<GitTask, GitOutput>({
  name: "git",
  entry: bundledWorker("git"),
  output: GitOutput,
  size: 1,
  timeoutMs: 5 * 60_000,
  memoryMb: () => env().DOCUMENT_MEMORY_MB,
  tooLarge:
    "The repository needs too much memory. Use a smaller one, or ask an operator to raise DOCUMENT_MEMORY_MB.",
  tooLong: "Unpacking the repository took longer than five minutes. Use a smaller one.",
});

/** Folders of repositories while they are read. */
export const gitFolder = () => join(dataDir(), "sources");

/** The page of a file at well-known hosts of repositories. */
function fileAddress(address: string, ref: string): ((path: string) => string) | undefined {
  const { host } = new URL(address);
  const web = address.replace(/(?:\.git)?\/*$/, "");
  const [, between] =
    [
      [/(?:^|\.)github\./, "blob"],
      [/(?:^|\.)gitlab\./, "-/blob"],
      [/(?:^|\.)bitbucket\.org$/, "src"],
      [/(?:^|\.)(?:codeberg|gitea|forgejo)\./, "src/commit"],
    ].find(([pattern]) => (pattern as RegExp).test(host)) ?? [];
  if (!between) return undefined;
  return (path) => `${web}/${between}/${ref}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** The newest commit of a Git repository over HTTPS, fetched without its history. */
export const openGit: OpenKind = (source) => {
  const { address, branch, prefix, username } = configOf(Config, source);
  const { origin, host } = new URL(address);
  const folder = join(gitFolder(), source.id);
  const repository = join(folder, "repository.git");
  const subfolder = prefix.replace(/^\/+|\/+$/g, "");

  async function request(
    url: string,
    init: RequestInit,
    limits: { maxBytes: number; timeoutMs: number },
    signal: AbortSignal,
  ) {
    const fetch = guardedFetch("source:git", { ...limits, silenceMs: 60_000, allowOrigins: [origin] });
    const token = new URL(url).origin === origin ? secretOf(source, origin) : undefined;
    const headers = {
      ...(init.headers as Record<string, string> | undefined),
      ...(token === undefined ? {} : { authorization: basicAuth(username || ANY_USER, token) }),
    };
    const response = await fetch(url, { ...init, headers, signal });
    if (isOpenToNetwork(response.url)) {
      await response.body?.cancel();
      throw new AppError("unprocessable", `${host} leads to an address without HTTPS. Check the address.`);
    }
    return response.ok ? response : refuseResponse(response, host);
  }

  async function discover(signal: AbortSignal) {
    const service = "/info/refs?service=git-upload-pack";
    const limits = { maxBytes: MAX_ADVERTISEMENT, timeoutMs: 120_000 };
    const response = await request(`${address.replace(/\/+$/, "")}${service}`, {}, limits, signal);
    const type = response.headers.get("content-type") ?? "";
    if (!type.startsWith("application/x-git-upload-pack-advertisement") || !response.url.endsWith(service)) {
      await response.body?.cancel();
      throw new AppError(
        "unprocessable",
        `${host} has no Git repository at this address. Check the address.`,
      );
    }
    const advertisement = new Uint8Array(await response.arrayBuffer());
    // Hosts redirect to the address with .git.
    return { advertisement, root: response.url.slice(0, -service.length) };
  }

  async function empty() {
    await rm(folder, { recursive: true, force: true });
  }

  return {
    async list({ limit, since, signal }) {
      const { advertisement, root } = await discover(signal);
      await empty();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const common = { folder: repository, advertisement, ref: branch };
      const planned = await pool.run({ kind: "plan", ...common }, signal);
      const { request: body, commit } = planned;
      if (!body || !commit) return { entries: [], isComplete: true, cursor: null };
      if (commit === since) return undefined;
      const pack = join(folder, "pack");
      const headers = {
        "content-type": "application/x-git-upload-pack-request",
        accept: "application/x-git-upload-pack-result",
      };
      const limits = { maxBytes: MAX_PACK, timeoutMs: PACK_TIMEOUT };
      const response = await request(
        `${root}/git-upload-pack`,
        { method: "POST", headers, body: Buffer.from(body) },
        limits,
        signal,
      );
      await pipeline(bodyOf(response), createWriteStream(pack, { mode: 0o600 }), { signal });
      const task = { kind: "unpack", ...common, pack, commit, prefix: subfolder, limit } as const;
      const { files = [], isComplete = false } = await pool.run(task, signal);
      await rm(pack, { force: true });
      const linkOf = fileAddress(address, commit);
      const entries = files.map(([path, oid]) => ({
        path,
        etag: oid,
        size: null,
        link: linkOf?.(subfolder ? `${subfolder}/${path}` : path) ?? null,
      }));
      return { entries, isComplete, cursor: commit };
    },
    async fetch({ etag: oid }, signal) {
      const to = join(folder, "file");
      await pool.run({ kind: "blob", folder: repository, oid, to, maxBytes: MAX_FILE_BYTES }, signal);
      return createReadStream(to, { highWaterMark: 256 * 1024 });
    },
    close: empty,
  };
};
