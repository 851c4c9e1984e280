import fs, { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import git, { type GitHttpRequest, type GitHttpResponse, type TreeObject } from "isomorphic-git";
import { z } from "zod";
import { AppError } from "~/core/errors";

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const Oid = z.string().regex(/^[0-9a-f]{40}$/);

const common = {
  /** A bare repository of its own, which the caller empties. */
  folder: z.string(),
  /** The server's answer to `info/refs`. */
  advertisement: Bytes,
  /** Branch or tag; the default branch if empty. */
  ref: z.string(),
};

/**
 * Work on a repository without a network: the console makes both requests of a shallow fetch itself, through its guard,
 * so that the process that unpacks hostile bytes has neither the key nor a connection.
 */
export const GitTask = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("plan"), ...common }),
  z.object({
    kind: z.literal("unpack"),
    ...common,
    /** File with the server's answer to the planned request. */
    pack: z.string(),
    commit: Oid,
    /** Folder in the repository; all of it if empty. */
    prefix: z.string(),
    limit: z.number().int(),
  }),
  z.object({
    kind: z.literal("blob"),
    folder: z.string(),
    oid: Oid,
    to: z.string(),
    maxBytes: z.number().int(),
  }),
]);
export type GitTask = z.infer<typeof GitTask>;

export const GitOutput = z.object({
  /** Body of the request for the pack. */
  request: Bytes.optional(),
  /** Commit that the ref names; absent in an empty repository. */
  commit: Oid.optional(),
  files: z.array(z.tuple([z.string(), Oid])).optional(),
  isComplete: z.boolean().optional(),
});
export type GitOutput = z.infer<typeof GitOutput>;

const ADDRESS = "https://repository.invalid/repository";
const MAX_DEPTH = 100;
/** A repository can name one folder under endlessly many paths. */
const MAX_FOLDERS = 50_000;
/** Files, folders and links together. */
const MAX_ENTRIES = 1_000_000;

/** Ends a planned fetch at its second request. */
class Planned extends Error {
  constructor(readonly request: Uint8Array) {
    super("The request is planned.");
  }
}

async function collect(body: GitHttpRequest["body"]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body ?? []) pieces.push(piece);
  return Buffer.concat(pieces);
}

const answer = (service: string, body: AsyncIterable<Uint8Array>): GitHttpResponse => ({
  url: ADDRESS,
  statusCode: 200,
  statusMessage: "OK",
  headers: { "content-type": `application/x-git-upload-pack-${service}` },
  body: body[Symbol.asyncIterator]() as AsyncIterableIterator<Uint8Array>,
});

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield Buffer.from(bytes);
}

async function fetchFrom(
  {
    folder,
    advertisement,
    ref,
  }: Pick<Extract<GitTask, { kind: "plan" }>, "folder" | "advertisement" | "ref">,
  onPack: (request: Uint8Array) => AsyncIterable<Uint8Array>,
): Promise<void> {
  const http = {
    async request({ method, body }: GitHttpRequest): Promise<GitHttpResponse> {
      if (method === "GET") return answer("advertisement", once(advertisement));
      return answer("result", onPack(await collect(body)));
    },
  };
  await git.init({ fs, gitdir: folder, bare: true });
  // Without it a fetch has no place for the branch.
  await git.addRemote({ fs, gitdir: folder, remote: "origin", url: ADDRESS, force: true });
  await git.fetch({
    fs,
    http,
    gitdir: folder,
    remote: "origin",
    depth: 1,
    singleBranch: true,
    tags: false,
    ...(ref ? { ref, remoteRef: ref } : {}),
  });
}

/** The first line of the request is `want` and the commit. */
const commitOf = (request: Uint8Array): string | undefined =>
  /^[0-9a-f]{4}want ([0-9a-f]{40})/.exec(Buffer.from(request.subarray(0, 100)).toString("latin1"))?.[1];

async function plan(task: Extract<GitTask, { kind: "plan" }>): Promise<GitOutput> {
  try {
    await fetchFrom(task, (request) => {
      throw new Planned(request);
    });
    // An empty repository.
    return {};
  } catch (error) {
    if (!(error instanceof Planned)) throw error;
    const commit = commitOf(error.request);
    return commit ? { request: error.request, commit } : {};
  }
}

/** Of the repository that was read last: a pack is parsed once for all of its files. */
let cached: { folder: string; cache: object } | undefined;

function cacheOf(folder: string): object {
  if (cached?.folder !== folder) cached = { folder, cache: {} };
  return cached.cache;
}

async function unpack(task: Extract<GitTask, { kind: "unpack" }>): Promise<GitOutput> {
  const { folder, pack, commit, prefix, limit } = task;
  cached = undefined;
  await fetchFrom(task, () => createReadStream(pack));
  const shared = { fs, gitdir: folder, cache: cacheOf(folder) };
  const files: [string, string][] = [];
  const root = { path: "", oid: commit, depth: 0, filepath: prefix };
  const folders: { path: string; oid: string; depth: number; filepath?: string }[] = [root];
  let visited = 0;
  // Each is parsed once, however many paths lead to it.
  const trees = new Map<string, TreeObject>();
  const read = async ({ oid, filepath }: (typeof folders)[number]) =>
    (await git.readTree({ ...shared, oid, ...(filepath ? { filepath } : {}) })).tree;
  for (let at = folders.pop(); at; at = folders.pop()) {
    const tree = trees.get(at.oid) ?? (await read(at));
    trees.set(at.oid, tree);
    visited += tree.length;
    // Also of those that wait: trees that name one tree many times lead to more folders than any memory holds.
    if (visited > MAX_ENTRIES || folders.length > MAX_FOLDERS || at.depth > MAX_DEPTH)
      throw new AppError("too_large", "The repository has too many folders.");
    for (const { path: name, oid, type, mode } of tree) {
      const path = at.path === "" ? name : `${at.path}/${name}`;
      if (type === "tree") folders.push({ path, oid, depth: at.depth + 1 });
      // Neither links nor other repositories.
      else if (type === "blob" && mode !== "120000") {
        if (files.length >= limit) return { files, isComplete: false };
        files.push([path, oid]);
      }
    }
  }
  return { files, isComplete: true };
}

async function writeBlob({
  folder,
  oid,
  to,
  maxBytes,
}: Extract<GitTask, { kind: "blob" }>): Promise<GitOutput> {
  const { blob } = await git.readBlob({ fs, gitdir: folder, cache: cacheOf(folder), oid });
  if (blob.length > maxBytes) throw new AppError("too_large", "The file is larger than 50 MB.");
  await writeFile(to, blob, { mode: 0o600 });
  return {};
}

/** @throws AppError with a user-facing message */
export async function runGitTask(task: GitTask): Promise<GitOutput> {
  try {
    if (task.kind === "plan") return await plan(task);
    return await (task.kind === "unpack" ? unpack(task) : writeBlob(task));
  } catch (error) {
    if (!(error instanceof git.Errors.NotFoundError)) {
      const isTheirs = error instanceof Error && "caller" in error;
      if (isTheirs)
        throw new AppError("unprocessable", "The repository can't be read: its server sent damaged data.");
      throw error;
    }
    const missing = task.kind === "blob" ? "The file" : task.kind === "plan" ? "The branch" : "The folder";
    throw new AppError("unprocessable", `${missing} isn't in the repository. Check the source's settings.`);
  }
}
