import type { LoaderFunctionArgs } from "@remix-run/node";
import { exportQuestions } from "~/features/knowledge/retrieval-questions.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";

/** The saved questions as a file. */
export function loader({ request, context }: LoaderFunctionArgs) {
  return onScreen(context, () => {
    const actor = requireScreenActor(request, context);
    return new Response(`${JSON.stringify(exportQuestions(actor), null, 2)}\n`, {
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Disposition": 'attachment; filename="retrieval-check.json"',
        "Cache-Control": "no-store",
      },
    });
  });
}
