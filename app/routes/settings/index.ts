import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { may } from "~/features/members/authorisation.server";
import { findTab, SETTINGS_TABS } from "~/features/settings/settings-tabs.schema";
import { requireScreenActor } from "~/http/authentication.server";

/** `/settings?tab=providers` leads to that tab, `/settings` to the first one the reader may see. */
export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  const url = new URL(request.url);
  const named = findTab(url.searchParams.get("tab"));
  const first = SETTINGS_TABS.find((tab) => may(actor, tab.needs))?.id;
  url.searchParams.delete("tab");
  return redirect(`/settings/${named ?? first ?? "profile"}${url.search}`);
}
