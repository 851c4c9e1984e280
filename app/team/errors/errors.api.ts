import { z } from "zod";
import { endpoint, endpoints, nothing } from "~/platform/endpoint/endpoint.shared";
import { ErrorReport } from "./errors.schema";
import { clearErrors, listErrors } from "./errors.service.server";

export const errorsApi = endpoints("System", [
  endpoint({
    method: "GET",
    path: "/api/system/errors",
    summary: "List recent unexpected errors",
    description: "At most 200, grouped by message and stack frame, most recent first.",
    access: "settings.manage",
    response: z.array(ErrorReport),
    handle: ({ actor }) => listErrors(actor),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/system/errors",
    summary: "Clear the error reports",
    access: "settings.manage",
    status: 204,
    handle: ({ actor }) => {
      clearErrors(actor);
      return nothing();
    },
  }),
]);
