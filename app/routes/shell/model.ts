import { type ActionFunctionArgs, redirect, replace } from "@remix-run/node";
import { ModelChoice } from "~/features/settings/settings.schema";
import { chooseModel } from "~/features/settings/settings.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";
import { parseWith } from "~/http/parse.server";
import { readForm } from "~/http/read-body.server";
import { safeReturnTo } from "~/http/return-to.server";

export const loader = () => redirect("/");

/** The header's model picker: for this browser session, and as the person's preference. */
export function action({ request, context }: ActionFunctionArgs) {
  return onScreen(context, async () => {
    const actor = requireScreenActor(request, context);
    const form = await readForm(request);
    chooseModel(actor, parseWith(ModelChoice, { model: form.get("model") }, "form"));
    return replace(safeReturnTo(form.get("returnTo")), 303);
  });
}
