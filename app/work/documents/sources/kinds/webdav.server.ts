import { z } from "zod";
import { AppError } from "~/core/errors";
import { readListing } from "./listing.server";
import { MAX_LISTING_BYTES } from "./listing-task";
import {
  basicAuth,
  bodyOf,
  configOf,
  isSafePath,
  type OpenKind,
  REQUEST_LIMITS,
  refuseResponse,
  type SourceEntry,
  secretOf,
  sourceFetch,
} from "./source-kind.server";

const Config = z.object({ address: z.url(), username: z.string() });

const MAX_DEPTH = 50;
const MAX_FOLDERS = 20_000;

const PROPFIND = `<?xml version="1.0" encoding="utf-8"?>
<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop>
<d:resourcetype/><d:getetag/><d:getlastmodified/><d:getcontentlength/><oc:fileid/>
</d:prop></d:propfind>`;

function decodePath(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}

/** A folder of a WebDAV server, such as Nextcloud's. Each folder is asked for by itself: servers refuse "infinity". */
export const openWebdav: OpenKind = (source) => {
  const { address, username } = configOf(Config, source);
  const { origin, host, pathname, href } = new URL(address.replace(/\/*$/, "/"));
  /** Nextcloud and ownCloud open a file by its number. */
  const [, web] = /^(.*?)\/remote\.php\//.exec(href) ?? [];

  function request(url: string, init: RequestInit, maxBytes: number, signal: AbortSignal): Promise<Response> {
    const fetch = sourceFetch("webdav", origin, maxBytes);
    const password = secretOf(source, origin);
    const headers = {
      ...(init.headers as Record<string, string> | undefined),
      ...(password === undefined ? {} : { authorization: basicAuth(username, password) }),
    };
    return fetch(url, { ...init, headers, signal });
  }

  const base = decodePath(pathname);

  /** Below the folder, empty for the folder itself. Behind a proxy a server may name itself by http. */
  function pathOf(address: string | undefined): string | undefined {
    const url = URL.canParse(address ?? "", href) ? new URL(address ?? "", href) : undefined;
    const whole = url?.host === host ? decodePath(url.pathname)?.replace(/\/*$/, "/") : undefined;
    if (base === undefined || !whole?.startsWith(base)) return undefined;
    return whole.slice(base.length).replace(/\/$/, "");
  }

  const addressOf = (path: string) =>
    `${origin}${pathname}${path.split("/").map(encodeURIComponent).join("/")}`;

  async function listFolder(path: string, limit: number, signal: AbortSignal) {
    const response = await request(
      addressOf(path === "" ? "" : `${path}/`),
      {
        method: "PROPFIND",
        headers: { depth: "1", "content-type": "application/xml; charset=utf-8" },
        body: PROPFIND,
      },
      MAX_LISTING_BYTES,
      signal,
    );
    if (response.status === 405 || response.status === 501)
      throw new AppError("unprocessable", `${host} is no WebDAV server at this address. Check the address.`);
    if (response.status !== 207) return refuseResponse(response, host);
    const fields = ["href", "collection", "getetag", "getlastmodified", "getcontentlength", "fileid"];
    return readListing(response, { root: "multistatus", item: "response", fields, limit }, signal);
  }

  return {
    async list({ limit, signal }) {
      const entries: SourceEntry[] = [];
      const folders = [{ path: "", depth: 0 }];
      const known = new Set([""]);
      for (let at = folders.pop(); at; at = folders.pop()) {
        const { items, isComplete } = await listFolder(at.path, limit + MAX_FOLDERS, signal);
        const listed = items.map((item) => ({ item, path: pathOf(item.href) }));
        // RFC 4918, 9.1: it is among them, or what is listed isn't it.
        if (isComplete && !listed.some(({ path }) => path === at.path))
          throw new AppError(
            "unprocessable",
            `${host} lists another folder than the one at ${addressOf(at.path)}. Check the address.`,
          );
        for (const { item, path } of listed) {
          // What lies elsewhere, and the folder itself.
          if (path === undefined || path === at.path) continue;
          if (!path.startsWith(at.path === "" ? "" : `${at.path}/`)) continue;
          if (item.collection !== undefined) {
            // An encoded slash can hide a way out.
            if (known.has(path) || !isSafePath(path)) continue;
            known.add(path);
            if (known.size > MAX_FOLDERS || at.depth >= MAX_DEPTH)
              throw new AppError("too_large", `${host} has too many folders at this address.`);
            folders.push({ path, depth: at.depth + 1 });
            continue;
          }
          if (entries.length >= limit) return { entries, isComplete: false, cursor: null };
          const { getetag, getlastmodified = "", getcontentlength = "", fileid } = item;
          entries.push({
            path,
            etag: (getetag || `${getlastmodified}-${getcontentlength}`).slice(0, 200),
            size: /^\d{1,15}$/.test(getcontentlength) ? Number(getcontentlength) : null,
            link: web && /^\d{1,20}$/.test(fileid ?? "") ? `${web}/f/${fileid}` : addressOf(path),
          });
        }
        if (!isComplete) return { entries, isComplete: false, cursor: null };
      }
      return { entries, isComplete: true, cursor: null };
    },
    async fetch({ path }, signal) {
      const response = await request(addressOf(path), {}, REQUEST_LIMITS.maxBytes, signal);
      return response.ok ? bodyOf(response) : refuseResponse(response, host);
    },
    close: async () => undefined,
  };
};
