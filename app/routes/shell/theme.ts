import { type ActionFunctionArgs, redirect, replace } from "@remix-run/node";
import { ThemeChoice } from "~/features/settings/settings.schema";
import { updateUserSettings } from "~/features/settings/settings.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";
import { parseWith } from "~/http/parse.server";
import { readForm } from "~/http/read-body.server";
import { safeReturnTo } from "~/http/return-to.server";

export const loader = () => redirect("/settings?tab=profile");

/** The user card's choice of theme. */
export function action({ request, context }: ActionFunctionArgs) {
  return onScreen(context, async () => {
    const actor = requireScreenActor(request, context);
    const form = await readForm(request);
    updateUserSettings(actor, parseWith(ThemeChoice, { theme: form.get("theme") }, "form"));
    return replace(safeReturnTo(form.get("returnTo")), 303);
  });
}
