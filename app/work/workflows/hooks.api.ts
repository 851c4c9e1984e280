import { z } from "zod";
import { parseWith } from "~/core/parse-with";
import type { Program, ProgramEndpoint } from "~/platform/endpoint/program.shared";
import { callHook } from "./hooks.service.server";

const Started = z.object({ runId: z.string(), repeated: z.boolean() });
const Params = z.object({ token: z.string().max(100) });

const call: ProgramEndpoint = {
  summary: "Start a workflow by its webhook",
  description:
    "Returns 202 with the run's id. If the trigger is set to, it waits up to 60 s for the workflow and returns 200 with " +
    "its returned value. `Idempotency-Key` keeps a repeated call from starting a second run.",
  access: "public",
  params: Params,
  response: Started,
  status: 202,
  handle: async ({ method, headers, rest, query, readRaw, signal, response }) => {
    const { token } = parseWith(Params, { token: rest.replace(/\/$/, "") }, "address");
    const { runId, repeated, end } = await callHook({
      token,
      method,
      headers,
      query: Object.fromEntries(query),
      rawBody: await readRaw(),
      signal,
    });
    const send = (value: unknown, status: number) =>
      response.send("application/json; charset=utf-8", JSON.stringify(value), {}, status);
    if (end?.state === "succeeded") send(end.output, 200);
    else if (end) send({ runId, error: end.error ?? "The run was canceled." }, 502);
    else send({ runId, repeated }, 202);
  },
};

export const hooksApi: readonly Program[] = [
  {
    path: "/api/hooks/{token}",
    tag: "Workflows",
    GET: call,
    POST: call,
    PUT: call,
    PATCH: call,
    DELETE: call,
  },
];
