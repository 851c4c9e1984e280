import { z } from "zod";
import { callHook } from "~/features/workflows/hooks.service.server";
import { readRaw } from "~/http/read-body.server";
import { endpoint, reply, resource } from "~/http/resource.server";

const Started = z.object({ runId: z.string(), repeated: z.boolean() });

/** Headers of what another origin's page could render. */
const JSON_ONLY = { "X-Content-Type-Options": "nosniff" };

const call = endpoint({
  summary: "Start a workflow by its webhook",
  description:
    "Returns 202 with the run's id. If the trigger is set to, it waits up to 60 s for the workflow and returns 200 with " +
    "its returned value. `Idempotency-Key` keeps a repeated call from starting a second run.",
  access: "public",
  params: z.object({ token: z.string().max(100) }),
  response: Started,
  status: 202,
  handle: async ({ params, request, context }) => {
    const answer = await callHook({
      token: params.token,
      method: request.method,
      headers: request.headers,
      query: Object.fromEntries(new URL(request.url).searchParams),
      rawBody: await readRaw(request),
      signal: context.closed,
    });
    const { runId, repeated, end } = answer;
    if (end?.state === "succeeded") return reply(end.output, { headers: JSON_ONLY });
    if (end)
      return reply(
        { runId, error: end.error ?? "The run was canceled." },
        { status: 502, headers: JSON_ONLY },
      );
    return reply({ runId, repeated }, { status: 202 });
  },
});

const route = resource({
  path: "/api/hooks/{token}",
  tag: "Workflows",
  GET: call,
  POST: call,
  PUT: call,
  PATCH: call,
  DELETE: call,
});

const loader = route.loader;
const action = route.action;

export { action, loader };
