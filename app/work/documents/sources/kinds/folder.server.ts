import { type BigIntStats, constants } from "node:fs";
import { lstat, open, opendir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { configOf, isSafePath, type OpenKind, type SourceEntry } from "./source-kind.server";

const Config = z.object({ folder: z.string() });

const MAX_DEPTH = 50;
const MAX_FOLDERS = 50_000;

/** An edit that keeps size and time of the content still changes the inode's. */
const etagOf = ({ size, mtimeNs, ctimeNs }: BigIntStats) => `${size}-${mtimeNs}-${ctimeNs}`;

/** The operator's folder. @throws AppError `not_found` if it isn't named or isn't there */
async function rootOf(name: string): Promise<string> {
  const folders = env().SOURCE_FOLDERS ?? {};
  const path = Object.hasOwn(folders, name) ? folders[name] : undefined;
  if (path === undefined)
    throw new AppError(
      "not_found",
      `The folder "${name}" isn't in SOURCE_FOLDERS. Ask an operator to add it.`,
    );
  try {
    return await realpath(path);
  } catch {
    throw new AppError(
      "unavailable",
      `The folder "${name}" isn't there. Ask an operator whether it is mounted.`,
    );
  }
}

/** A folder on the server that the operator named. It is only read; links in it aren't followed. */
export const openFolder: OpenKind = (source) => {
  const { folder: name } = configOf(Config, source);
  return {
    async list({ limit, signal }) {
      const root = await rootOf(name);
      const entries: SourceEntry[] = [];
      const skipped: { path: string; reason: string }[] = [];
      const folders = [{ path: "", depth: 0 }];
      let visited = 0;
      for (let at = folders.pop(); at; at = folders.pop()) {
        visited += 1;
        if (visited > MAX_FOLDERS || at.depth > MAX_DEPTH)
          throw new AppError("too_large", `The folder "${name}" has too many folders in it.`);
        try {
          for await (const child of await opendir(join(root, at.path))) {
            signal.throwIfAborted();
            const path = at.path === "" ? child.name : `${at.path}/${child.name}`;
            if (child.isDirectory()) folders.push({ path, depth: at.depth + 1 });
            else if (child.isFile()) {
              const facts = await lstat(join(root, path), { bigint: true }).catch(() => undefined);
              // Replaced or deleted meanwhile.
              if (!facts?.isFile()) continue;
              if (entries.length >= limit) return { entries, skipped, isComplete: false, cursor: null };
              entries.push({ path, etag: etagOf(facts), size: Number(facts.size), link: null });
            }
          }
        } catch (error) {
          signal.throwIfAborted();
          if (at.path === "")
            throw new AppError("unavailable", `The folder "${name}" can't be read.`, { cause: error });
          skipped.push({ path: at.path, reason: "This folder can't be read" });
        }
      }
      return { entries, skipped, isComplete: skipped.length === 0, cursor: null };
    },
    async fetch({ path }) {
      const root = await rootOf(name);
      if (!isSafePath(path)) throw new AppError("invalid", "The file's name can't be used.");
      const whole = join(root, path);
      const gone = () => new AppError("not_found", "The file is gone, or can't be read.");
      // A folder on the way may have become a link.
      const real = await realpath(whole).catch(() => undefined);
      if (real !== whole) throw gone();
      const file = await open(whole, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
        () => undefined,
      );
      if (!file) throw gone();
      if (!(await file.stat()).isFile()) {
        await file.close();
        throw gone();
      }
      return file.createReadStream({ highWaterMark: 256 * 1024 });
    },
    close: async () => undefined,
  };
};
