import { redirect } from "@remix-run/node";
import { findTab, SETTINGS_TABS } from "~/console/settings/settings-tabs.shared";
import { screen } from "~/http/screen.server";
import { may } from "~/platform/rights/authorization.server";

const { loader } = screen({
  access: "signed-in",
  load: ({ actor, url }) => {
    const search = new URLSearchParams(url.searchParams);
    const requested = findTab(search.get("tab"));
    const first = SETTINGS_TABS.find((tab) => may(actor, tab.needs))?.id;
    search.delete("tab");
    return redirect(`/settings/${requested ?? first ?? "profile"}${search.size > 0 ? `?${search}` : ""}`);
  },
});

export { loader };
