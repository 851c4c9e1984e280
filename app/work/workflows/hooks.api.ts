import { z } from "zod";
import {
  bytes,
  endpoint,
  endpoints,
  METHODS,
  type Program,
  reply,
} from "~/platform/endpoint/endpoint.shared";
import { callHook } from "./hooks.service.server";

const PLAIN_TEXT = "text/plain; charset=utf-8";

export const hooksApi = endpoints(
  "Workflows",
  METHODS.map((method) =>
    endpoint({
      method,
      path: "/api/hooks/{token}",
      summary: "Start a workflow by its webhook",
      description:
        "Returns 202 with the run's id. If the trigger is set to, it waits up to 60 s for the workflow and returns 200 with " +
        "its returned value. `Idempotency-Key` keeps a repeated call from starting a second run.",
      access: "public",
      params: z.object({ token: z.string().max(100) }),
      response: z.unknown().describe("With 202 `runId` and `repeated`; with 200 what the workflow returned"),
      produces: "text/plain",
      status: 202,
      otherStatuses: [200],
      refusals: [408, 409, 413, 415, 422, 502, 504, 507],
      handle: async ({ params, method, headers, search, raw, signal }) => {
        const result = await callHook({
          token: params.token,
          method,
          headers: Object.fromEntries(headers),
          query: search,
          rawBody: await raw(),
          signal,
        });
        if (!result) return bytes(PLAIN_TEXT, "");
        const { runId, repeated, end, returned } = result;
        if (!end) return { runId, repeated };
        if (returned) return bytes(returned.type, returned.body);
        return reply({ runId, error: end.error ?? "The run was canceled." }, { status: 502 });
      },
    }),
  ),
);

export const hookPrograms: readonly Program[] = [{ under: "/api/hooks", callers: "anyone" }];
