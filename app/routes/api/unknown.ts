import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { AppError } from "~/core/errors";
import { problemResponse } from "~/http/status.server";

/** An unknown path below /api answers in JSON: programs can't read the not-found page. */
function answer({ request, context }: LoaderFunctionArgs | ActionFunctionArgs): Response {
  const path = new URL(request.url).pathname;
  return problemResponse(new AppError("not_found", `There is no ${path}.`), context.requestId);
}

export const loader = answer;
export const action = answer;
