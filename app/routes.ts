import { index, layout, type RouteConfig, route } from "@remix-run/route-config";

/** The sitemap: every screen and every endpoint on one page. */
export default [
  layout("routes/shell/layout.tsx", [index("routes/dashboard/page.tsx")]),

  route("api/openapi.json", "routes/api/openapi.ts"),
  route("api/health", "routes/api/health.ts"),
  route("api/audit", "routes/api/audit.ts"),
  route("api/*", "routes/api/unknown.ts"),
] satisfies RouteConfig;
