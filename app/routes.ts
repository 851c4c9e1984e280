import { index, layout, type RouteConfig, route } from "@remix-run/route-config";

/** The sitemap: every screen and every endpoint on one page. */
export default [
  layout("routes/shell/layout.tsx", [
    index("routes/dashboard/page.tsx"),
    route("chat/:conversationId?", "routes/chat/page.tsx"),
    route("workflows", "routes/workflows/page.tsx"),
    route("extensions", "routes/extensions/page.tsx"),
    route("rag", "routes/rag/page.tsx"),
    route("audit", "routes/audit/page.tsx"),
    route("search", "routes/search/page.tsx"),
  ]),
  route("chat/:conversationId/live", "routes/chat/live.tsx"),
  route("providers", "routes/providers.ts"),
  route("theme", "routes/shell/theme.ts"),

  route("api/openapi.json", "routes/api/openapi.ts"),
  route("api/health", "routes/api/health.ts"),
  route("api/audit", "routes/api/audit.ts"),
  route("api/ai/models", "routes/api/ai.models.ts"),
  route("api/ai/chat", "routes/api/ai/chat.ts"),
  route("api/ai/chat/:conversation/stream", "routes/api/ai/chat.stream.ts"),
  route("api/ai/chat/:conversation/stop", "routes/api/ai/chat.stop.ts"),
  route("api/ai/chat/:conversation/regenerate", "routes/api/ai/chat.regenerate.ts"),
  route("api/ai/conversations", "routes/api/ai/conversations.ts"),
  route("api/ai/conversations/:conversation", "routes/api/ai/conversation.ts"),
  route("api/providers", "routes/api/providers.ts"),
  route("api/providers/:id", "routes/api/providers.item.ts"),
  route("api/providers/:id/test", "routes/api/providers.test-connection.ts"),
  route("api/providers/:id/refresh", "routes/api/providers.refresh.ts"),
  route("api/keys", "routes/api/keys.ts"),
  route("api/keys/:id", "routes/api/keys.item.ts"),
  route("api/user/settings", "routes/api/user.settings.ts"),
  route("api/branding", "routes/api/branding.ts"),
  route("api/*", "routes/api/unknown.ts"),
  route("*", "routes/not-found/page.tsx"),
] satisfies RouteConfig;
