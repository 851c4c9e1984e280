import { Outlet, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { SettingsNav } from "~/console/settings/components/settings-nav";
import { findSettings } from "~/console/settings/find-settings.service.server";
import { SETTINGS_TABS } from "~/console/settings/settings-tabs.shared";
import { screen } from "~/http/screen.server";
import { may } from "~/platform/rights/authorization.server";
import { GuardedForms } from "~/ui/guarded-forms";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { PageHeader, pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Settings");

/** Of a search; more aren't looked through. */
const MAX_FOUND = 12;

const { loader } = screen({
  access: "signed-in",
  query: z.object({ setting: z.string().trim().max(100).optional() }),
  load: ({ actor, query: { setting = "" } }) => ({
    tabs: SETTINGS_TABS.filter((tab) => may(actor, tab.needs)).map(({ id, label, section }) => ({
      id,
      label,
      section,
    })),
    query: setting,
    found: setting === "" ? [] : findSettings(actor, setting, MAX_FOUND),
  }),
});

const shouldRevalidate = ignoreDialogParams({ names: ["dialog", "id", "model", "tab"] });

export { loader, shouldRevalidate };

export default function Settings() {
  const loaded = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title="Settings" subtitle="Manage models, keys, members and this console" />
      <div className="grid gap-6 xl:grid-cols-[12rem_minmax(0,1fr)]">
        <SettingsNav {...loaded} />
        <GuardedForms className="min-w-0">
          <Outlet />
        </GuardedForms>
      </div>
    </>
  );
}
