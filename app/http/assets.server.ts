import { existsSync, readdirSync } from "node:fs";
import { extname } from "node:path";
import express, { type RequestHandler } from "express";

const ENCODINGS = [
  { token: "br", extension: ".br" },
  { token: "gzip", extension: ".gz" },
] as const;

/** The first of the encodings that a request accepts and that a file has. */
function encodingOf(accepted: string, has: (extension: string) => boolean) {
  const refused = new Set(
    accepted
      .split(",")
      .map((part) => part.trim().toLowerCase())
      .filter((part) => /;\s*q=0(?:\.0*)?$/.test(part))
      .map((part) => part.replace(/;.*/, "")),
  );
  const listed = accepted.toLowerCase().split(",");
  return ENCODINGS.find(
    ({ token, extension }) =>
      !refused.has(token) &&
      listed.some((part) => part.trim().replace(/;.*/, "") === token) &&
      has(extension),
  );
}

/**
 * The client's files, which never change under their names, as the build has compressed them.
 *
 * @param compresses whether compression is switched on
 */
export function serveAssets(folder: string, compresses: () => boolean): RequestHandler {
  const files = new Set(existsSync(folder) ? readdirSync(folder) : []);
  const serve = express.static(folder, { immutable: true, maxAge: "1y", fallthrough: false, index: false });
  return (request, response, next) => {
    const name = request.path.slice(1);
    if (/\.(?:br|gz)$/.test(name) || !files.has(`${name}.br`)) return serve(request, response, next);
    response.vary("Accept-Encoding");
    const encoding = compresses()
      ? encodingOf(String(request.headers["accept-encoding"] ?? ""), (extension) =>
          files.has(name + extension),
        )
      : undefined;
    if (encoding) {
      response.set("Content-Encoding", encoding.token);
      response.type(extname(name));
      request.url = `/${name}${encoding.extension}`;
    }
    serve(request, response, next);
  };
}
