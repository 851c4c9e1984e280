import { Outlet, useLoaderData, useLocation } from "@remix-run/react";
import { type ComponentType, type RefObject, useEffect, useRef, useState } from "react";
import { may } from "~/features/members/authorisation.server";
import { SETTINGS_TABS } from "~/features/settings/settings-tabs.shared";
import { screen } from "~/http/screen.server";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { PageHeader } from "~/ui/page-header";
import { pageTitle } from "~/ui/page-title";
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

/** Loaded after hydration: it isn't part of the server's page. */
function useUnsavedChanges() {
  const [loaded, setLoaded] = useState<{
    UnsavedChanges: ComponentType<{ section: RefObject<HTMLElement> }>;
  }>();
  useEffect(() => {
    import("~/features/settings/components/unsaved-changes").then(setLoaded, () => undefined);
  }, []);
  return loaded?.UnsavedChanges;
}

export default function Settings() {
  const { tabs } = useLoaderData<typeof loader>();
  const { pathname } = useLocation();
  const section = useRef<HTMLDivElement>(null);
  const UnsavedChanges = useUnsavedChanges();
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
      {UnsavedChanges && <UnsavedChanges section={section} />}
      <div ref={section} className="pt-6">
        <Outlet />
      </div>
    </>
  );
}
