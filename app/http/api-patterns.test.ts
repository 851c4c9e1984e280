import type { ServerBuild } from "@remix-run/node";
import { expect, it } from "vitest";
import { routeMatcher } from "./api.server";

const route = (id: string, path: string | undefined, parentId?: string) => [id, { id, path, parentId }];
const build = {
  routes: Object.fromEntries([
    route("root", ""),
    route("layout", undefined, "root"),
    route("chat", "chat/:conversationId?", "layout"),
    route("live", "chat/:conversationId/live", "layout"),
    route("api", "api/*", "root"),
    route("any", "*", "layout"),
  ]),
} as unknown as ServerBuild;

it.each([
  ["/", "/"],
  ["/_root.data", "/"],
  ["/chat", "/chat/{conversationId}"],
  ["/chat/con_1", "/chat/{conversationId}"],
  ["/chat/con_1.data", "/chat/{conversationId}"],
  ["/chat/con_1/live", "/chat/{conversationId}/live"],
  ["/api/personas/per_1", "/api/personas/{id}"],
  ["/api/personas/", "/api/personas"],
  ["/api/unknown/per_1", "/api/*"],
  ["/v1/models/maker/model", "/v1/models/{id}"],
  ["/v1/unknown/model", "/*"],
  ["/a/b/c", "/*"],
  ["/assets/x-123.js", "/assets/*"],
])("%s is answered by %s", (path, pattern) => {
  const calls = [
    { path: "/api/personas" },
    { path: "/api/personas/{id}" },
    { path: "/v1/models/{id}", takesRest: true },
  ];
  expect(routeMatcher(build, calls)(path)).toBe(pattern);
});
