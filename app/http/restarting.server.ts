import type { RequestListener } from "node:http";
import { withoutBase } from "~/core/base-path";
import { plainPage } from "./status.server";

const RETRY_SECONDS = 2;

const PAGE = plainPage(
  "Restarting",
  "<p>The console is restarting for maintenance. This page reloads by itself.</p>",
);

const PROBLEM = JSON.stringify({
  type: "about:blank",
  title: "Service Unavailable",
  status: 503,
  code: "unavailable",
  detail: `The console is restarting for maintenance. Try again in ${RETRY_SECONDS} seconds.`,
});

/** Responds with 503 while a start, a restore or a compaction has the database closed. */
export const holdRequests: RequestListener = (request, response) => {
  const { method } = request;
  const url = withoutBase(request.url ?? "/");
  const isPage =
    (method === "GET" || method === "HEAD") && !/^\/(?:api|v1|healthz|readyz|metrics)\b/.test(url);
  request.resume();
  response.writeHead(url === "/healthz" ? 200 : 503, {
    "cache-control": "no-store",
    "retry-after": String(RETRY_SECONDS),
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; style-src-attr 'unsafe-inline'",
    "content-type": isPage ? "text/html; charset=utf-8" : "application/problem+json",
    ...(isPage ? { refresh: String(RETRY_SECONDS) } : {}),
  });
  response.end(isPage ? PAGE : PROBLEM);
};
