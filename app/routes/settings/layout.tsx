import { Outlet, useLoaderData, useLocation } from "@remix-run/react";
import { SETTINGS_TABS } from "~/console/settings/settings-tabs.shared";
import { screen } from "~/http/screen.server";
import { may } from "~/platform/rights/authorization.server";
import { GuardedForms } from "~/ui/guarded-forms";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { Tabs } from "~/ui/tabs";

export const meta = pageTitle("Settings");

const { loader } = screen({
  access: "signed-in",
  load: ({ actor }) => ({
    tabs: SETTINGS_TABS.filter((tab) => may(actor, tab.needs)).map(({ id, label }) => ({ id, label })),
  }),
});

const shouldRevalidate = ignoreDialogParams({ names: ["dialog", "id", "model", "tab"] });

export { loader, shouldRevalidate };

export default function Settings() {
  const { tabs } = useLoaderData<typeof loader>();
  const { pathname } = useLocation();
  return (
    <>
      <PageHeader title="Settings" subtitle="Manage models, keys, members and this console" />
      <Tabs
        label="Settings"
        tabs={tabs.map(({ id, label }) => {
          const to = `/settings/${id}`;
          return { label, to, active: pathname === to || pathname.startsWith(`${to}/`) };
        })}
      />
      <GuardedForms className="pt-6">
        <Outlet />
      </GuardedForms>
    </>
  );
}
