import { index, layout, type RouteConfig, route } from "@remix-run/route-config";

/** The sitemap: every screen and every endpoint on one page. */
export default [
  layout("routes/shell/layout.tsx", [
    index("routes/dashboard/page.tsx"),
    route("workflows", "routes/workflows/page.tsx"),
    route("extensions", "routes/extensions/page.tsx"),
    route("rag", "routes/rag/page.tsx"),
    route("audit", "routes/audit/page.tsx"),
    route("search", "routes/search/page.tsx"),
  ]),
  route("providers", "routes/providers.ts"),
  route("theme", "routes/shell/theme.ts"),
  route("model", "routes/shell/model.ts"),

  route("api/openapi.json", "routes/api/openapi.ts"),
  route("api/health", "routes/api/health.ts"),
  route("api/audit", "routes/api/audit.ts"),
  route("api/ai/models", "routes/api/ai.models.ts"),
  route("api/providers", "routes/api/providers.ts"),
  route("api/providers/:id", "routes/api/providers.item.ts"),
  route("api/providers/:id/test", "routes/api/providers.test-connection.ts"),
  route("api/providers/:id/refresh", "routes/api/providers.refresh.ts"),
  route("api/keys", "routes/api/keys.ts"),
  route("api/keys/:id", "routes/api/keys.item.ts"),
  route("api/user/settings", "routes/api/user.settings.ts"),
  route("api/branding", "routes/api/branding.ts"),
  route("api/personas", "routes/api/personas.ts"),
  route("api/personas/:id", "routes/api/personas.item.ts"),
  route("api/*", "routes/api/unknown.ts"),
  route("*", "routes/not-found/page.tsx"),
] satisfies RouteConfig;
