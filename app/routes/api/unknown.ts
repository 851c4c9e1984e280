import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { notFoundResponse } from "~/http/status.server";

/** JSON, as programs can't read the not-found page. */
function answer({ request, context }: LoaderFunctionArgs | ActionFunctionArgs): Response {
  return notFoundResponse(new URL(request.url).pathname, context.requestId);
}

export const loader = answer;
export const action = answer;
