import { existsSync, readdirSync } from "node:fs";
import { extname } from "node:path";
import express, { type RequestHandler } from "express";

const ENCODINGS = [
  { token: "br", extension: ".br" },
  { token: "gzip", extension: ".gz" },
] as const;

export function serveAssets(folder: string, compresses: () => boolean): RequestHandler {
  const files = new Set(existsSync(folder) ? readdirSync(folder) : []);
  const serve = express.static(folder, { immutable: true, maxAge: "1y", fallthrough: false, index: false });
  return (request, response, next) => {
    const name = request.path.slice(1);
    if (/\.(?:br|gz)$/.test(name) || !files.has(`${name}.br`)) return serve(request, response, next);
    response.vary("Accept-Encoding");
    const encoding = compresses()
      ? ENCODINGS.find(
          ({ token, extension }) => request.acceptsEncodings(token) && files.has(name + extension),
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
